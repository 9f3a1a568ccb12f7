-- Timers.
--   mode=set   timers set and stopped per second, 100 of them running
--   mode=late  how late a timer of 2 ms is: the median, in microseconds
local bench = require "bench"
local options = bench.options { mode = "set", count = 100 }
local lanes = bench.lanes { with_timers = true }
local count = options.count
local linda = lanes.linda()

local start = lanes.now_secs()
if options.mode == "set" then
    for i = 1, count do
        lanes.timer(linda, i % 100, 1000)
    end
    for key = 0, 99 do
        lanes.timer(linda, key, nil)
    end
    local elapsed = lanes.now_secs() - start
    assert(#lanes.timers() == 0, "timers are left over")
    bench.rate(elapsed, count + 100)
elseif options.mode == "late" then
    local late = {}
    for i = 1, count do
        local begun = lanes.now_secs()
        lanes.timer(linda, "tick", 0.002)
        assert(linda:receive(10, "tick") == "tick", "the timer does not fire")
        late[i] = lanes.now_secs() - begun - 0.002
        assert(late[i] > -0.001, "too early")
    end
    table.sort(late)
    bench.report(math.max(late[math.ceil(count / 2)] * 1e6, 0), lanes.now_secs() - start, count)
else
    error("mode: " .. options.mode)
end
