-- in 3.x a cancel with force ends a pure Lua loop, and the lane is killed
-- load: lanes.v3
-- timeout: 30

local check = require "check"
local lanes = require "lanes".configure{ with_timers = false }
local linda = lanes.linda()
local function loop() jit = jit and jit.off() linda:send("up", true) while true do end end

for _, args in ipairs{ { true, 1.0 }, { 0.1, true }, { 0.1, true, 1 }, { "hard", true }, { "hard", 0.1, true, 1 } } do
  local h = lanes.gen("*", loop)()
  linda:receive("up")
  local ok, why = h:cancel((unpack or table.unpack)(args))
  check.eq(ok, true)
  check.eq(why, "killed")
  check.eq(h.status, "killed")
  check.eq(select("#", h:join()), 2)
  check.eq(select(2, h:join()), "killed")
  check.eq(h[1], nil)
  check.eq(h[2], "killed")
end

-- without force it is cancelled, and one that is over stays what it was
local h = lanes.gen("*", function() linda:receive("never") end)()
check.eq(select(2, h:cancel(5)), "cancelled")
check.eq(select(2, h:cancel(true, 1)), "cancelled")
check.eq(h.status, "cancelled")
check.raises("cancel timeout cannot be < 0", h.cancel, h, true, -1)
check.done()
