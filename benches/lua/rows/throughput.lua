-- Throughput: one lane sends, this one receives. Messages per second, from the
-- first to the last.
local bench = require "bench"
local options = bench.options { size = 512, count = 20000, limit = "100", payload = "string", place = "free" }
local lanes = bench.lanes()
local size, count, place, payload = options.size, math.max(options.count, 2), options.place, options.payload
local linda = lanes.linda()
bench.limit(linda, "queue", options.limit)

local producer = lanes.gen("*", function()
    require("bench").pin(place, 1)
    local _, go = linda:receive("go")
    assert(go == true)
    if payload == "string" then
        local message = ("x"):rep(size)
        for _ = 1, count do
            linda:send("queue", message)
        end
    elseif payload == "number" then
        for i = 1, count do
            linda:send("queue", i)
        end
    else
        for i = 1, count do
            linda:send("queue", { id = i, name = "abc", vals = { 1, 2, 3, 4, 5 } })
        end
    end
    return count
end)()

bench.pin(place, 0)
linda:send("go", true)
local sum, expected = 0, count * (count + 1) / 2
local key, message = linda:receive(10, "queue")
assert(key == "queue", "the first message did not come")
local start = lanes.now_secs()
if payload == "string" then
    sum, expected = #message, size * count
    for _ = 2, count do
        key, message = linda:receive(10, "queue")
        sum = sum + #message
    end
elseif payload == "number" then
    sum = message
    for _ = 2, count do
        key, message = linda:receive(10, "queue")
        sum = sum + message
    end
elseif payload == "table" then
    sum, expected = message.id + #message.vals, expected + 5 * count
    for _ = 2, count do
        key, message = linda:receive(10, "queue")
        sum = sum + message.id + #message.vals
    end
else
    error("payload: " .. payload)
end
local elapsed = lanes.now_secs() - start

assert(bench.join(producer) == count, "the producer failed")
assert(sum == expected, "wrong messages")
assert((linda:count("queue") or 0) == 0, "messages are left over")
bench.rate(elapsed, count - 1)
