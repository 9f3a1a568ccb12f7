-- a hook cancel raises once: a lane that swallows it goes on, and the next check raises again
-- timeout: 30

local check = require "check"
local lanes = require "lanes"
local l = lanes.linda()
local h = lanes.gen("*", function()
  jit = jit and jit.off()
  local ok, e = pcall(function() l:send("up", true) while true do end end)
  local n = 0
  for i = 1, 100000 do n = n + 1 end
  local again, e2 = pcall(cancel_test)
  return ok, e == lanes.cancel_error, n, again, e2 == lanes.cancel_error
end)()
l:receive("up")
check.eq(h:cancel("line", 1, 10), true)
check.eq(h.status, "done")
local _, ok, same, n, again, same_again = check.results(6, h:join())
check.eq(ok, false)
check.eq(same, true)
check.eq(n, 100000)
check.eq(again, false)
check.eq(same_again, true)
check.done()
