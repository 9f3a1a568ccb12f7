-- lua-cqueues: a thread and the socket pair that comes with it, the peer of the
-- rows latency and throughput.
--
--   lua benches/lua/peers/cqueues.lua mode=latency|throughput
--
-- A socket is a stream, so a message is a fixed number of bytes. There is no
-- limit to set: the kernel's buffer holds the sender back. In the throughput
-- row cqueues collects small writes, as it does by default.
local bench = require "bench"
local options = bench.options { mode = "latency", size = 512, count = 1000, place = "free" }
local cqueues = require "cqueues"
local thread = require "cqueues.thread"
local threads = require "threads"
local mode, size, count, place = options.mode, options.size, options.count, options.place

local function other(con, mode, size, count, place)
    size, count = tonumber(size), tonumber(count)
    if place == "two" then
        require("threads").pin(1)
    end
    con:setmode("b", mode == "latency" and "bn" or "bf")
    con:setbufsiz(1048576, 65536)
    if mode == "latency" then
        for _ = 1, count do
            con:write(con:read(size))
            con:flush()
        end
    else
        local message = ("x"):rep(size)
        for _ = 1, count do
            con:write(message)
        end
        con:flush()
    end
    con:shutdown("w")
    -- Whoever has all of it closes first.
    con:read(1)
end

local message = ("x"):rep(size)
local start, elapsed
local queue = cqueues.new()
queue:wrap(function()
    local peer, con = thread.start(other, mode, tostring(size), tostring(count), place)
    con:setmode("b", mode == "latency" and "bn" or "bf")
    con:setbufsiz(1048576, 65536)
    if place == "two" then
        threads.pin(0)
    end
    if mode == "latency" then
        start = threads.now()
        for _ = 1, count do
            con:write(message)
            con:flush()
            if con:read(size) ~= message then
                error("wrong answer")
            end
        end
    else
        local bytes = #con:read(size)
        start = threads.now()
        for _ = 2, count do
            bytes = bytes + #con:read(size)
        end
        assert(bytes == size * count, "wrong messages")
    end
    elapsed = threads.now() - start
    con:close()
    local ok, why = peer:join()
    assert(ok and not why, why)
end)
assert(queue:loop())
if mode == "latency" then
    bench.report(elapsed / count / 2 * 1e6, elapsed, count)
else
    bench.rate(elapsed, count - 1)
end
