-- Throughput apart by where the host has put the two processors.
--
--   lua benches/lua/modes.lua who=rlanes|zmq-c|zmq-ffi size=512 limit=100 bursts=25 count=10000
--
-- A virtual machine's processors may be near each other (on one core, or on one
-- cache) or far, and are moved several times a minute. A cache line is timed
-- before and after each burst of messages, and a burst counts for a mode if both
-- times belong to it. Prints nanoseconds a message, the median of each mode, and
-- how many bursts there were. The sender is pinned to processor 1, the receiver
-- to 0. `docs/benchmarks.md` says how to run it.
local bench = require "bench"
local options = bench.options { who = "rlanes", size = 512, limit = "100", bursts = 25, count = 10000 }
local threads = require "threads"
local size, count, limit = options.size, options.count, options.limit
local NEAR, FAR = 100, 150

-- How to have a burst sent, to receive one message, and to come to an end.
local order, receive, stop
if options.who == "rlanes" then
    local lanes = bench.lanes()
    local linda = lanes.linda()
    bench.limit(linda, "queue", limit)
    local lane = lanes.gen("*", function()
        require("threads").pin(1)
        local message = ("x"):rep(size)
        while true do
            local _, n = linda:receive("go")
            if n == 0 then
                return true
            end
            for _ = 1, n do
                linda:send("queue", message)
            end
        end
    end)()
    function order(n) linda:send("go", n) end
    function receive()
        local _, message = linda:receive(10, "queue")
        return message
    end
    function stop() assert(bench.join(lane), "the sender failed") end
else
    local binding = options.who == "zmq-ffi" and "zmq_ffi" or "zmq_c"
    local zmq = require(binding)
    local context = zmq.context()
    local mark = tonumber(limit) or 0
    local queue = zmq.socket(context, zmq.PULL, mark)
    local go = zmq.socket(context, zmq.PUSH, 10)
    zmq.bind(queue, "inproc://queue")
    zmq.bind(go, "inproc://go")
    local thread = threads.start([[
        local binding, context, size, mark = ...
        require("threads").pin(1)
        local zmq = require(binding)
        local send, receive = zmq.send, zmq.receive
        local queue = zmq.socket(context, zmq.PUSH, mark)
        local go = zmq.socket(context, zmq.PULL, 10)
        zmq.connect(queue, "inproc://queue")
        zmq.connect(go, "inproc://go")
        local message = ("x"):rep(size)
        repeat
            local n = tonumber(receive(go))
            for _ = 1, n do
                send(queue, message)
            end
        until n == 0
        zmq.close(queue)
        zmq.close(go)
        return true
    ]], binding, context, size, mark)
    local take = zmq.receive
    function order(n) zmq.send(go, tostring(n)) end
    function receive() return take(queue) end
    function stop()
        assert(thread:join() == true, "the sender failed")
        zmq.close(queue)
        zmq.close(go)
        zmq.term(context)
    end
end

local near, far = {}, {}
for _ = 1, options.bursts do
    local before = threads.line()
    order(count)
    local bytes = #receive()
    local start = threads.now()
    for _ = 2, count do
        bytes = bytes + #receive()
    end
    local each = (threads.now() - start) / (count - 1) * 1e9
    assert(bytes == count * size, "wrong messages")
    local after = threads.line()
    if before < NEAR and after < NEAR then
        near[#near + 1] = each
    elseif before > FAR and after > FAR then
        far[#far + 1] = each
    end
end
order(0)
stop()

local function median(list)
    table.sort(list)
    return #list > 0 and ("%.0f"):format(list[math.ceil(#list / 2)]) or "-"
end
print(("near=%s bursts=%d far=%s bursts=%d"):format(median(near), #near, median(far), #far))
