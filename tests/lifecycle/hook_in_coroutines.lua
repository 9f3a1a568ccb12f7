-- a hook cancel stops code inside coroutines, however they were made
-- timeout: 30

local check = require "check"
local lanes = require "lanes"
local l = lanes.linda()

local function stopped(what, body)
  local h = lanes.gen("*", body)()
  check.eq(l:receive(10, "up"), "up", what .. " is up")
  local ok, why = h:cancel(jit and "line" or "count", 1, 10)
  check.eq(ok, true, what)
  check.eq(why, "cancelled", what)
end

stopped("wrap", function()
  jit = jit and jit.off()
  coroutine.wrap(function() l:send("up", true) while true do end end)()
end)
stopped("resume that passes the error on", function()
  jit = jit and jit.off()
  local co = coroutine.create(function() l:send("up", true) while true do end end)
  local _, e = coroutine.resume(co)
  error(e, 0)
end)
stopped("nested", function()
  jit = jit and jit.off()
  local function deeper(n)
    if n == 0 then l:send("up", true) while true do end end
    coroutine.wrap(deeper)(n - 1)
  end
  deeper(20)
end)
stopped("many short ones", function()
  jit = jit and jit.off()
  l:send("up", true)
  while true do coroutine.wrap(function() coroutine.yield(1) end)() end
end)
check.done()
