-- Cancelling the timer lane stops all timers
local check = require "check"
local lanes = require "lanes".configure { with_timers = true }
local linda = lanes.linda()

lanes.timer(linda, "tick", 0.02, 0.02)
check.eq(linda:receive(10, "tick"), "tick")
check.eq((lanes.timer_lane:cancel("hard", 10)), true)
check.gives(check.list(nil, lanes.cancel_error), lanes.timer_lane:join())
check.eq(lanes.timer_lane[1], nil)
check.eq(lanes.timer_lane[2], lanes.cancel_error)
linda:set "tick"
check.gives(check.list(nil, "timeout"), linda:receive(0.2, "tick"))

check.done()
