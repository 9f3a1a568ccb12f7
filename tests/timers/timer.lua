-- Timers set slots at their time: once, in periods, at a date; and stop
-- timeout: 60
local check = require "check"
local lanes = require "lanes".configure { with_timers = true }
local linda = lanes.linda()
local list, gives = check.list, check.gives

-- once
local before = lanes.now_secs()
gives(list(), lanes.timer(linda, "once", 0.1))
local key, stamp = linda:receive(10, "once")
local now = lanes.now_secs()
check.eq(key, "once")
check.is_true(stamp >= before + 0.099 and stamp <= now, "the stamp is the wall clock")
check.is_true(now - before >= 0.099 and now - before < 5)
gives(list(nil, "timeout"), linda:receive(0.3, "once"))

-- in periods; an unread stamp is replaced, missed periods are skipped
before = lanes.now_secs()
lanes.timer(linda, "tick", 0.05, 0.05)
for i = 1, 4 do
    local _, stamp = linda:receive(10, "tick")
    check.is_true(stamp >= before + 0.05 * i - 0.002, i)
end
linda:receive(0.3, "nothing")
check.eq(linda:count "tick", 1)
-- it is listed, until it is stopped; an unread value stays
local timers = lanes.timers()
check.eq(#timers, 1)
check.eq(#timers[1], 3)
check.is_true(timers[1][1] == linda and timers[1][2] == "tick" and type(timers[1][3]) == "table")
gives(list(), lanes.timer(linda, "tick", nil))
check.eq(#lanes.timers(), 0)
check.eq(linda:count "tick", 1)
linda:receive "tick"
gives(list(nil, "timeout"), linda:receive(0.2, "tick"))

-- at once: 0, negative, a date of the past
for _, when in ipairs { 0, -1, os.date("*t", os.time() - 100) } do
    lanes.timer(linda, "now", when)
    check.eq(linda:receive(5, "now"), "now")
end
-- a date to come, in a second at least: dates have no fractions
lanes.timer(linda, "date", os.date("*t", os.time() + 2))
gives(list(0), linda:get "date")
check.eq(linda:receive(10, "date"), "date")
check.is_true(lanes.now_secs() >= os.time() - 1)

-- setting it again replaces it; a timer keeps its linda
lanes.timer(linda, "again", 100)
lanes.timer(linda, "again", 0.05)
check.eq(linda:receive(10, "again"), "again")
local outbox = lanes.linda()
lanes.timer(outbox, "k", 0.05)

check.raises("expecting a Linda", lanes.timer, {}, "k", 1)
check.eq(type(lanes.timer_lane.status), "string")

check.done()
