-- Locks and counters of Lanes 3.x
-- load: lanes.v3
local check = require "check"
local lanes = require "lanes".configure { with_timers = false }
local linda = lanes.linda()
local list, gives = check.list, check.gives

local lock = lanes.genlock(linda, "k", 2)
gives(list(true), lock(2))
gives(list(false), lock(1, "try"))
gives(list(true), lock(-1))
gives(list(true), lock(-1))
local add = lanes.genatomic(linda, "n", 1)
check.eq(add(2), 3)
linda:cancel()
gives(list(lanes.cancel_error), lock(1))
gives(list(lanes.cancel_error), lock(-1))
gives(list(lanes.cancel_error), add())

check.done()
