-- A timer lane that was never needed can be cancelled too
local check = require "check"
local lanes = require "lanes".configure { with_timers = true }

check.eq(lanes.timer_lane.status, "waiting")
check.same({ lanes.timer_lane:cancel() }, { true, "cancelled" })
check.eq(select(2, lanes.timer_lane:join()), lanes.cancel_error)
check.eq(lanes.timer_lane[2], lanes.cancel_error)
check.done()
