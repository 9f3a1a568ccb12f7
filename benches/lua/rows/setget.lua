-- A slot as a variable. Calls per second.
--   mode=alone   one lane: a set and a get in turn
--   mode=shared  another lane sets without end while this one gets
local bench = require "bench"
local options = bench.options { mode = "alone", count = 20000 }
local lanes = bench.lanes()
local count = options.count
local linda = lanes.linda()

-- 4.x gives the number of values first.
linda:set("probe", 7)
local second = select("#", linda:get("probe")) == 2
local get
if second then
    function get(key)
        local _, value = linda:get(key)
        return value
    end
else
    function get(key)
        return (linda:get(key))
    end
end

local start, elapsed
if options.mode == "alone" then
    start = lanes.now_secs()
    for i = 1, count do
        linda:set("key", i)
        if get("key") ~= i then
            error("wrong value")
        end
    end
    elapsed = lanes.now_secs() - start
    count = 2 * count
elseif options.mode == "shared" then
    linda:set("key", 0)
    local setter = lanes.gen("*", function()
        local i = 0
        while (linda:count("stop") or 0) == 0 do
            for _ = 1, 100 do
                i = i + 1
                linda:set("key", i)
            end
        end
        return i
    end)()
    while get("key") == 0 do
        lanes.sleep(0.001)
    end
    local before = 0
    start = lanes.now_secs()
    for _ = 1, count do
        local value = get("key")
        if value < before then
            error("an older value")
        end
        before = value
    end
    elapsed = lanes.now_secs() - start
    linda:send("stop", true)
    assert(bench.join(setter) >= before, "the setter failed")
else
    error("mode: " .. options.mode)
end
bench.rate(elapsed, count)
