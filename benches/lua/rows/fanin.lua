-- Fan-in: some lanes send, each to its own key; this one waits on all of them.
-- Messages per second.
local bench = require "bench"
local options = bench.options { producers = 4, size = 512, count = 20000, limit = "100" }
local lanes = bench.lanes()
local size, producers = options.size, options.producers
local each = math.max(math.ceil(options.count / producers), 2)
local linda = lanes.linda()

local keys, lane = {}, {}
for i = 1, producers do
    keys[i] = "queue " .. i
    bench.limit(linda, keys[i], options.limit)
    lane[i] = lanes.gen("*", function(key)
        linda:receive("go")
        local message = ("x"):rep(size)
        for _ = 1, each do
            linda:send(key, message)
        end
        return each
    end)(keys[i])
end
bench.blocked(lane)

local receive = bench.receive_any(keys)
local seen = {}
for i = 1, producers do
    seen[keys[i]] = 0
    linda:send("go", true)
end
local bytes = 0
local start
for _ = 1, each * producers do
    local key, message = receive(linda, 10)
    start = start or lanes.now_secs()
    seen[key] = seen[key] + 1
    bytes = bytes + #message
end
local elapsed = lanes.now_secs() - start

for i = 1, producers do
    assert(bench.join(lane[i]) == each and seen[keys[i]] == each, "a producer failed")
end
assert(bytes == size * each * producers, "wrong messages")
bench.rate(elapsed, each * producers - 1)
