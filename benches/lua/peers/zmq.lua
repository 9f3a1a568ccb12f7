-- ZeroMQ, inproc: the peer of the rows latency, throughput, fanin and fanout.
--
--   lua benches/lua/peers/zmq.lua binding=c|ffi mode=latency|throughput|fanin|fanout
--
-- Both bindings are used by the same script. `limit` is the high-water mark of
-- each end; ZeroMQ's own default is 1000, and "none" is its 0. A fan-in is one
-- PULL socket with many PUSH sockets, a fan-out the other way round.
local bench = require "bench"
local options = bench.options {
    binding = "c", mode = "throughput", size = 512, count = 20000, limit = "100", place = "free", others = 1, crowd = 0,
}
local threads = require "threads"
local zmq = require(options.binding == "ffi" and "zmq_ffi" or "zmq_c")
local send, receive = zmq.send, zmq.receive
local size, mode, others = options.size, options.mode, options.others
local mark = tonumber(options.limit) or 0
local each = math.max(math.ceil(options.count / others), 2)
local count = each * others

local kind = { latency = zmq.PAIR, throughput = zmq.PULL, fanin = zmq.PULL, fanout = zmq.PUSH }
local context = zmq.context()
local s = zmq.socket(context, kind[mode], mark)
zmq.bind(s, "inproc://bench")
local acks
if mode == "fanout" then
    acks = zmq.socket(context, zmq.PULL, mark)
    zmq.bind(acks, "inproc://acks")
end

-- The other side, in a state of its own.
local source = [[
    local binding, context, mode, size, count, mark, place, index = ...
    local threads = require "threads"
    local zmq = require(binding == "ffi" and "zmq_ffi" or "zmq_c")
    local send, receive = zmq.send, zmq.receive
    if place == "two" then
        threads.pin(1)
    end
    local kind = { latency = zmq.PAIR, throughput = zmq.PUSH, fanin = zmq.PUSH, fanout = zmq.PULL }
    local s = zmq.socket(context, kind[mode], mark)
    zmq.connect(s, "inproc://bench")
    local result = count
    if mode == "latency" then
        send(s, "ready")
        for _ = 1, count do
            send(s, receive(s))
        end
    elseif mode == "fanout" then
        local acks = zmq.socket(context, zmq.PUSH, mark)
        zmq.connect(acks, "inproc://acks")
        send(acks, index)
        result = 0
        -- Until the context is shut down. "end" may come more than once.
        pcall(function()
            while true do
                local text = receive(s)
                if text == "end" then
                    send(acks, index)
                else
                    result = result + #text
                end
            end
        end)
        zmq.close(acks)
    else
        local text = ("x"):rep(size)
        for _ = 1, count do
            send(s, text)
        end
    end
    zmq.close(s)
    return result
]]
local other = {}
for i = 1, others do
    other[i] = threads.start(source, options.binding, context, mode, size, each, mark, options.place, tostring(i))
end

-- As in rows/crowd.lua: others that compute all the while.
local crowd = {}
for i = 1, options.crowd do
    crowd[i] = threads.start [[
        local threads = require "threads"
        local function work(i)
            local sum = 0
            for k = 1, 1000 do
                sum = sum + (k * i) % 7
            end
            return sum
        end
        threads.arrive()
        local done = 0
        repeat
            for k = 1, 10 do
                work(k)
            end
            done = done + 1
        until threads.released()
        return done
    ]]
end
while threads.arrived() < options.crowd do end

if options.place == "two" then
    threads.pin(0)
end
local text = ("x"):rep(size)
local start, elapsed
if mode == "latency" then
    assert(receive(s) == "ready")
    start = threads.now()
    for _ = 1, count do
        send(s, text)
        if receive(s) ~= text then
            error("wrong answer")
        end
    end
    elapsed = threads.now() - start
elseif mode == "fanout" then
    local function all_answer(before)
        local answered, left = {}, others
        while left > 0 do
            before()
            local index = receive(acks)
            left = left - (answered[index] and 0 or 1)
            answered[index] = true
        end
    end
    all_answer(function() end)
    start = threads.now()
    for _ = 1, count do
        send(s, text)
    end
    -- Messages are dealt out in turn, and this one is the last of its consumer.
    all_answer(function() send(s, "end") end)
    elapsed = threads.now() - start
    zmq.close(acks)
    zmq.shutdown(context)
else
    local bytes = #receive(s)
    start = threads.now()
    for _ = 2, count do
        bytes = bytes + #receive(s)
    end
    elapsed = threads.now() - start
    assert(bytes == size * count, "wrong messages")
end

local sum = 0
for i = 1, others do
    sum = sum + other[i]:join()
end
assert(sum == (mode == "fanout" and size * count or count), "wrong number of messages")
threads.release()
for i = 1, options.crowd do
    assert(crowd[i]:join() > 0, "one of the crowd did nothing")
end
zmq.close(s)
zmq.term(context)
if mode == "latency" then
    bench.report(elapsed / count / 2 * 1e6, elapsed, count)
elseif mode == "fanout" then
    bench.rate(elapsed, count)
else
    bench.rate(elapsed, count - 1)
end
