-- Restricted slots and cancelled lindas do not stop the other timers
local check = require "check"
local lanes = require "lanes".configure { with_timers = true }

local l, gone = lanes.linda(), lanes.linda()
l:restrict("closed", "send/receive")
check.raises("Key is restricted", lanes.timer, l, "closed", 0)
lanes.timer(l, "closed", 0.01, 0.01)
lanes.timer(gone, "k", 0.01, 0.01)
gone:cancel()
lanes.timer(l, "k", 0.05, 0.05)
for _ = 1, 3 do check.eq((l:receive(3, "k")), "k") end
check.raises("expecting a Linda", lanes.timer, {}, "k", 1)
check.raises("slot", lanes.timer, l, {}, 1)
check.done()
