-- With timers there is one call more
-- needs: module:statehook
local check = require "check"
local statehook = require "statehook"
require "lanes".configure { with_timers = true, on_state_create = statehook.hook }
local in_lanes, in_keepers = statehook.seen()
check.eq(in_lanes + in_keepers, 2)
check.done()
