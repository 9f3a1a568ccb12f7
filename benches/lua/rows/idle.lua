-- What blocked lanes cost: milliseconds of processor time in a second, all of
-- them together.
local bench = require "bench"
local options = bench.options { count = 100, seconds = 1 }
local lanes = bench.lanes()
local linda = lanes.linda()

local lane = {}
for i = 1, options.count do
    lane[i] = lanes.gen(function()
        local _, value = linda:receive(nil, i)
        return value
    end)()
end
bench.blocked(lane)
-- The last one may still be on its way to sleep.
lanes.sleep(0.05)

-- os.clock is the processor time of all threads of the process.
local before = os.clock()
lanes.sleep(options.seconds)
local used = os.clock() - before
for i = 1, options.count do
    linda:send(nil, i, i)
end
for i = 1, options.count do
    assert(bench.join(lane[i]) == i, "a lane failed")
end
bench.report(used / options.seconds * 1000, options.seconds, options.count)
