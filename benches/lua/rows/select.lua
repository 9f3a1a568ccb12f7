-- lanes.select: as fanin.lua, but each lane sends to a linda of its own.
-- Messages per second.
local bench = require "bench"
local options = bench.options { producers = 4, size = 512, count = 20000, limit = "100" }
local lanes = bench.lanes()
local size, producers = options.size, options.producers
local each = math.max(math.ceil(options.count / producers), 2)

local lindas, lane, names = {}, {}, {}
for i = 1, producers do
    local linda = lanes.linda()
    lindas[i] = linda
    names[i] = "l" .. i
    bench.limit(linda, "queue", options.limit)
    lane[i] = lanes.gen("*", function()
        linda:receive("go")
        local message = ("x"):rep(size)
        for _ = 1, each do
            linda:send("queue", message)
        end
        return each
    end)()
end
bench.blocked(lane)

local source = ("local select, %s = ... return function() return select(10, %s, 'queue') end"):format(
    table.concat(names, ", "),
    table.concat(names, ", 'queue', ")
)
local receive = assert((loadstring or load)(source))(lanes.select, (unpack or table.unpack)(lindas))
local seen = {}
for i = 1, producers do
    seen[lindas[i]] = 0
    lindas[i]:send("go", true)
end
local bytes = 0
local start
for _ = 1, each * producers do
    local linda, _, message = receive()
    start = start or lanes.now_secs()
    seen[linda] = seen[linda] + 1
    bytes = bytes + #message
end
local elapsed = lanes.now_secs() - start

for i = 1, producers do
    assert(bench.join(lane[i]) == each and seen[lindas[i]] == each, "a producer failed")
end
assert(bytes == size * each * producers, "wrong messages")
bench.rate(elapsed, each * producers - 1)
