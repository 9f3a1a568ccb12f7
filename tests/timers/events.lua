-- Timers set the time in a slot: once, again and again, at once, until stopped
local check = require "check"
local lanes = require "lanes".configure { with_timers = true }

local l = lanes.linda()
local function near(got, want, what)
    check.is_true(math.abs(got - want) < 0.05, (what or "") .. " off by " .. (got - want))
end
local function tick(key)
    local _, stamp = l:receive(3, key)
    check.eq(type(stamp), "number")
    check.is_true(lanes.now_secs() - stamp < 0.3, "stamp")
    return stamp
end

-- Once.
local start = lanes.now_secs()
check.results(0, lanes.timer(l, "once", 0.1))
near(tick "once", start + 0.1)
check.eq(l:receive(0.15, "once"), nil)

-- With a period: on the grid, and a stamp nobody took is replaced.
start = lanes.now_secs()
lanes.timer(l, 1, 0.1, 0.1)
for n = 1, 3 do near(tick(1), start + n * 0.1, n) end
lanes.sleep(0.25)
check.eq(l:count(1), 1)
near(tick(1), start + 0.5)

-- A new call replaces the timer, nil stops it; what is there stays.
lanes.timer(l, 1, 10)
check.eq(l:receive(0.15, 1), nil)
lanes.timer(l, 1, 0, 0.05)
check.eq(l:count(1), 1)
lanes.timer(l, 1)
check.eq(l:count(1), 1)
tick(1)
check.eq(l:receive(0.1, 1), nil)

-- Negative and past times are now.
lanes.timer(l, "past", -5)
tick "past"
lanes.timer(l, "date", os.date("*t", os.time() - 10))
tick "date"
local soon = os.time() + 1
lanes.timer(l, "date", os.date("*t", soon))
near(tick "date", soon)
check.eq(#lanes.timers(), 0)
check.done()
