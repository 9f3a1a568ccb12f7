-- lua-luv: a thread and a socket pair between two event loops, the peer of the
-- rows latency and throughput.
--
--   lua benches/lua/peers/luv.lua mode=latency|throughput
--
-- A uv_async carries one message at most, so it is no channel; a stream is what
-- remains. A message is a fixed number of bytes, cut out of what the loop reads.
-- The sender has at most `limit` writes that are not done.
local bench = require "bench"
local options = bench.options { mode = "latency", size = 512, count = 1000, limit = "100", place = "free" }
local uv = require "luv"
local threads = require "threads"

-- Runs on both sides, so it may use nothing from outside.
local function side(fd, sends, mode, size, count, window)
    local uv = require "luv"
    local threads = require "threads"
    local pipe = uv.new_pipe(false)
    pipe:open(fd)
    local message = ("x"):rep(size)
    local received, start, elapsed = 0, nil, nil
    local rest = ""

    -- Calls `each` with every message.
    local function read(each)
        pipe:read_start(function(problem, chunk)
            assert(not problem, problem)
            if not chunk then
                pipe:close()
                return
            end
            local data = rest == "" and chunk or rest .. chunk
            local at = 1
            while at + size - 1 <= #data do
                local text = data:sub(at, at + size - 1)
                at = at + size
                received = received + 1
                each(text)
            end
            rest = data:sub(at)
        end)
    end

    if mode == "latency" then
        read(function(text)
            assert(#text == size)
            if sends and received == count then
                elapsed = threads.now() - start
                pipe:close()
            else
                pipe:write(text)
            end
        end)
        if sends then
            start = threads.now()
            pipe:write(message)
        end
    elseif sends then
        local sent, under_way = 0, 0
        local function fill()
            while under_way < window and sent < count do
                sent, under_way = sent + 1, under_way + 1
                pipe:write(message, function(problem)
                    assert(not problem, problem)
                    under_way = under_way - 1
                    if under_way == 0 and sent == count then
                        pipe:close()
                    else
                        fill()
                    end
                end)
            end
        end
        fill()
    else
        read(function()
            start = start or threads.now()
            if received == count then
                elapsed = threads.now() - start
            end
        end)
    end
    uv.run()
    if not sends or mode == "latency" then
        assert(received == count, "wrong number of messages")
    end
    return elapsed
end

local size, count, mode = options.size, options.count, options.mode
local window = tonumber(options.limit) or 1000
local fds = uv.socketpair()
local body = string.dump(side)
local other = uv.new_thread(function(body, place, ...)
    if place == "two" then
        require("threads").pin(1)
    end
    assert((loadstring or load)(body, "side", "b"))(...)
end, body, options.place, fds[2], mode == "throughput", mode, size, count, window)
if options.place == "two" then
    threads.pin(0)
end
local elapsed = side(fds[1], mode == "latency", mode, size, count, window)
other:join()
if mode == "latency" then
    bench.report(elapsed / count / 2 * 1e6, elapsed, count)
else
    bench.rate(elapsed, count - 1)
end
