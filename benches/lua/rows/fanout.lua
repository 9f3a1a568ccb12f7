-- Fan-out: this lane sends to one key, some lanes receive from it. Messages per
-- second, until the last one has been received.
local bench = require "bench"
local options = bench.options { consumers = 4, size = 512, count = 20000, limit = "100" }
local lanes = bench.lanes()
local size, count, consumers = options.size, options.count, options.consumers
local linda = lanes.linda()
bench.limit(linda, "queue", options.limit)

local lane = {}
for i = 1, consumers do
    lane[i] = lanes.gen("*", function()
        local received = 0
        while true do
            local _, message = linda:receive("queue")
            if message == "end" then
                break
            end
            assert(#message == size)
            received = received + 1
        end
        linda:send("done", true)
        return received
    end)()
end
bench.blocked(lane)

local message = ("x"):rep(size)
local start = lanes.now_secs()
for _ = 1, count do
    linda:send("queue", message)
end
for _ = 1, consumers do
    linda:send("queue", "end")
end
for _ = 1, consumers do
    assert(linda:receive(10, "done") == "done")
end
local elapsed = lanes.now_secs() - start

local received = 0
for i = 1, consumers do
    received = received + bench.join(lane[i])
end
assert(received == count, "wrong number of messages")
bench.rate(elapsed, count)
