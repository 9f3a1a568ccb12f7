-- 3.x has timers unless they are turned off
-- load: lanes.v3
local check = require "check"
local lanes = require "lanes".configure()

local l = lanes.linda()
lanes.timer(l, "k", 0.02)
check.eq((l:receive(3, "k")), "k")
check.eq(getmetatable(lanes.timer_lane), "Lane")
check.eq((lanes.timer_lane:cancel("hard", 5)), true)
check.results(0, lanes.timer_lane:join())
check.done()
