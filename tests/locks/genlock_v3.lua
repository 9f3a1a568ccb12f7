-- genlock in 3.x: true, false or cancel_error
-- load: lanes.v3
local check = require "check"
local lanes = require "lanes".configure { with_timers = false }

local l = lanes.linda()
local lock = lanes.genlock(l, 1, 2)
check.eq(lock(2), true)
check.eq(check.results(1, lock(1, "try")), false)
check.eq(lock(-2), true)
l:cancel()
check.eq(lock(1), lanes.cancel_error)
check.eq(lanes.genlock(l, 1, 2), lanes.cancel_error)
check.eq(lanes.genatomic(l, "a"), lanes.cancel_error)
check.done()
