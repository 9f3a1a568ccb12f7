-- Latency: a message goes to another lane and comes back. Microseconds one way.
local bench = require "bench"
local options = bench.options { size = 512, count = 2000, payload = "string", place = "free", waiters = 0 }
local lanes = bench.lanes()
local count, place, payload = options.count, options.place, options.payload
local linda = lanes.linda()

-- The herd: lanes that wait for other keys of the same linda all the while.
local waiters = {}
for i = 1, options.waiters do
    waiters[i] = lanes.gen(function()
        local _, message = linda:receive("waiter " .. i)
        return message
    end)()
end
bench.blocked(waiters)

local partner = lanes.gen("*", function()
    require("bench").pin(place, 1)
    linda:send("back", "ready")
    for _ = 1, count do
        local _, message = linda:receive("there")
        linda:send("back", message)
    end
    return count
end)()

bench.pin(place, 0)
local _, ready = linda:receive("back")
assert(ready == "ready")

local start, elapsed
if payload == "string" then
    local ball = ("x"):rep(options.size)
    start = lanes.now_secs()
    for i = 1, count do
        linda:send("there", ball)
        local key, message = linda:receive("back")
        if key ~= "back" or message ~= ball then
            error("round trip " .. i .. ": wrong answer")
        end
    end
    elapsed = lanes.now_secs() - start
elseif payload == "table" then
    start = lanes.now_secs()
    for i = 1, count do
        linda:send("there", { id = i, name = "abc", vals = { 1, 2, 3, 4, 5 } })
        local _, message = linda:receive("back")
        if message.id ~= i or message.name ~= "abc" or #message.vals ~= 5 then
            error("round trip " .. i .. ": wrong answer")
        end
    end
    elapsed = lanes.now_secs() - start
else
    error("payload: " .. payload)
end

assert(bench.join(partner) == count, "the partner failed")
for i = 1, options.waiters do
    linda:send("waiter " .. i, i)
end
for i = 1, options.waiters do
    assert(bench.join(waiters[i]) == i, "a waiter failed")
end
bench.report(elapsed / count / 2 * 1e6, elapsed, count)
