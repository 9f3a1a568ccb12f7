-- Lanes use the timers of their universe; a module table with the timer lane does not travel
local check = require "check"
local lanes = require "lanes".configure { with_timers = true }

local l = lanes.linda()
local h = lanes.gen("*", function()
    local lanes = require "lanes"
    assert(lanes.timer_lane == nil)
    lanes.timer(l, "k", 0.02)
    return #lanes.timers()
end)()
check.eq(h[1], 1)
check.eq((l:receive(3, "k")), "k")
check.raises("lane handle", lanes.gen("*", function() return lanes end))
check.done()
