-- Lanes started and joined one after the other, per second.
--   libraries=none | all | required (all, and a module that is loaded first)
local bench = require "bench"
local options = bench.options { libraries = "none", count = 100 }
local lanes = bench.lanes()

local function body(i)
    return i
end
local generator
if options.libraries == "none" then
    generator = lanes.gen(body)
elseif options.libraries == "all" then
    generator = lanes.gen("*", body)
elseif options.libraries == "required" then
    generator = lanes.gen("*", { required = { "bench_required" } }, function(i)
        return require("bench_required").same(i)
    end)
else
    error("libraries: " .. options.libraries)
end

local start = lanes.now_secs()
for i = 1, options.count do
    if bench.join(generator(i)) ~= i then
        error("wrong result")
    end
end
bench.rate(lanes.now_secs() - start, options.count)
