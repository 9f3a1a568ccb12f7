-- on_state_create in 3.x: no arguments, no upvalues in C functions
-- load: lanes.v3
local check = require "check"
local lanes = require "lanes"

check.raises("on_state_create shouldn't have upvalues", lanes.configure, { on_state_create = coroutine.wrap(function() end) })
lanes.configure { with_timers = false, on_state_create = function(...) given = select("#", ...) end }
check.eq(lanes.gen("*", function() return given end)()[1], 0)
check.done()
