-- Memory that a blocked lane keeps: KiB resident, of many.
--   libraries=none | all
local bench = require "bench"
local options = bench.options { libraries = "none", count = 1000 }
local lanes = bench.lanes()
local linda = lanes.linda()

local function body()
    local _, value = linda:receive("stop")
    return value
end
local generator = options.libraries == "all" and lanes.gen("*", body) or lanes.gen(body)

-- What is there once for all.
local first = generator()
linda:send("stop", true)
assert(bench.join(first) == true)
local lane = {}
for i = 1, options.count do
    lane[i] = false
end

local start = lanes.now_secs()
local before = bench.resident()
for i = 1, options.count do
    lane[i] = generator()
end
bench.blocked(lane)
local each = (bench.resident() - before) / options.count
for _ = 1, options.count do
    linda:send("stop", true)
end
for i = 1, options.count do
    assert(bench.join(lane[i]) == true, "a lane failed")
end
bench.report(each, lanes.now_secs() - start, options.count)
