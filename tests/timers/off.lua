-- Without timers (the default of 4.x) the functions say so
local check = require "check"
local lanes = require "lanes"
check.raises("timers are not active", lanes.timer, lanes.linda(), "k", 1)
check.raises("timers are not active", lanes.timers)
check.eq(lanes.timer_lane, nil)

check.done()
