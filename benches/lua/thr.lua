-- Throughput: one lane sends, this one receives, the queue holds 100 messages.
--
--   lua benches/lua/thr.lua [bytes] [messages]
--
-- Prints one line. The clock runs from the first message to the last.
local lanes = require "lanes"

local size = tonumber(arg[1] or 512)
local count = tonumber(arg[2] or 100000)
assert(count >= 2, "two messages at least")

local linda = lanes.linda()
linda:limit("queue", 100)

local function produce()
    local message = ("x"):rep(size)
    local sent = 0
    for _ = 1, count do
        if linda:send("queue", message) == true then
            sent = sent + 1
        end
    end
    return sent
end

local producer = lanes.gen("*", produce)()

local start
local bytes = 0
for i = 1, count do
    local slot, message = linda:receive(10, "queue")
    if slot ~= "queue" then
        error("message " .. i .. " did not come")
    end
    start = start or lanes.now_secs()
    bytes = bytes + #message
end
local elapsed = lanes.now_secs() - start

local ok, sent = producer:join()
assert(ok and sent == count, "the producer failed")
assert(bytes == size * count, "wrong number of bytes")
assert((linda:count("queue") or 0) == 0, "messages are left over")

local rate = (count - 1) / math.max(elapsed, 1e-9)
print(("thr bytes=%d messages=%d limit=100 seconds=%.3f msgs_per_s=%.0f mb_per_s=%.1f"):format(size, count, elapsed, rate, rate * size / 1e6))
