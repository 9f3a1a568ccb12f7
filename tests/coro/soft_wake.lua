-- a soft cancel that wakes runs a coroutine lane on through its yields

local check = require "check"
local lanes = require "lanes"
local function yielder(...)
  for _, v in ipairs{ ... } do coroutine.yield(v) end
  return "bye!"
end
local h = lanes.coro("*", yielder)("a", "b", "c")
local ok, why = h:cancel("soft", 0.3)
check.eq(tostring(ok) .. " " .. tostring(why), "false timeout")
check.eq(h.status, "suspended")
ok, why = h:cancel("soft", 5, true)
check.eq(tostring(ok) .. " " .. tostring(why), "true done")
check.eq(h[1], "bye!")
check.done()
