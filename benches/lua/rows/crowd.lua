-- More busy lanes than processors.
--   mode=messages  pairs of lanes pass messages, each pair over its own queue:
--                  messages per second, the number of all messages being the
--                  same however many lanes there are
--   mode=work      lanes compute and send each result here: results per second
--   mode=pingpong  two lanes ping-pong among lanes that compute: microseconds
--                  one way
local bench = require "bench"
local options = bench.options { mode = "messages", lanes = 16, size = 512, limit = "100", count = 2000 }
local lanes = bench.lanes()
local size, mode = options.size, options.mode
local linda = lanes.linda()
local lane = {}

-- About as much as a small request needs.
local function work(i)
    local sum = 0
    for k = 1, 1000 do
        sum = sum + (k * i) % 7
    end
    return sum
end

local function start_all()
    bench.blocked(lane)
    for _ = 1, #lane do
        linda:send("go", true)
    end
    return lanes.now_secs()
end

if mode == "messages" then
    local pairs_of_lanes = options.lanes / 2
    local each = math.max(math.ceil(options.count / pairs_of_lanes), 2)
    for i = 1, pairs_of_lanes do
        local queue = lanes.linda()
        bench.limit(queue, "queue", options.limit)
        lane[2 * i - 1] = lanes.gen("*", function()
            linda:receive("go")
            local message = ("x"):rep(size)
            for _ = 1, each do
                queue:send("queue", message)
            end
            return 0
        end)()
        lane[2 * i] = lanes.gen("*", function()
            linda:receive("go")
            local bytes = 0
            for _ = 1, each do
                local _, message = queue:receive("queue")
                bytes = bytes + #message
            end
            return bytes
        end)()
    end
    local start = start_all()
    local bytes = 0
    for i = 1, #lane do
        bytes = bytes + bench.join(lane[i])
    end
    local elapsed = lanes.now_secs() - start
    assert(bytes == pairs_of_lanes * each * size, "wrong messages")
    bench.rate(elapsed, pairs_of_lanes * each)
elseif mode == "work" then
    local each = math.max(math.ceil(options.count / options.lanes), 1)
    for i = 1, options.lanes do
        lane[i] = lanes.gen("*", function()
            linda:receive("go")
            for k = 1, each do
                linda:send("results", work(k))
            end
            return each
        end)()
    end
    local expected = 0
    for k = 1, each do
        expected = expected + work(k)
    end
    local start = start_all()
    local sum = 0
    for _ = 1, each * options.lanes do
        local _, result = linda:receive(10, "results")
        sum = sum + result
    end
    local elapsed = lanes.now_secs() - start
    for i = 1, #lane do
        assert(bench.join(lane[i]) == each, "a lane failed")
    end
    assert(sum == expected * options.lanes, "wrong results")
    bench.rate(elapsed, each * options.lanes)
elseif mode == "pingpong" then
    local count = options.count
    for i = 1, options.lanes do
        lane[i] = lanes.gen("*", function()
            linda:receive("go")
            linda:send("busy", true)
            local done = 0
            repeat
                for k = 1, 10 do
                    work(k)
                end
                done = done + 1
            until (linda:count("stop") or 0) > 0
            return done
        end)()
    end
    local echo = lanes.gen("*", function()
        for _ = 1, count do
            local _, message = linda:receive("there")
            linda:send("back", message)
        end
        return count
    end)()
    start_all()
    for _ = 1, options.lanes do
        linda:receive("busy")
    end
    local start = lanes.now_secs()
    for i = 1, count do
        linda:send("there", i)
        local _, message = linda:receive("back")
        assert(message == i)
    end
    local elapsed = lanes.now_secs() - start
    linda:send("stop", true)
    for i = 1, #lane do
        assert(bench.join(lane[i]) > 0, "a lane did nothing")
    end
    assert(bench.join(echo) == count)
    bench.report(elapsed / count / 2 * 1e6, elapsed, count)
else
    error("mode: " .. mode)
end
