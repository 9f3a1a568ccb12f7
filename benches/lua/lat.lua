-- Latency: a string goes to another lane and comes back, again and again.
--
--   lua benches/lua/lat.lua [bytes] [round-trips]
--
-- Prints one line; `one_way_us` is the mean of half a round trip.
local lanes = require "lanes"

local size = tonumber(arg[1] or 512)
local count = tonumber(arg[2] or 10000)

local linda = lanes.linda()

local function echo()
    for _ = 1, count do
        local _, message = linda:receive("there")
        linda:send("back", message)
    end
    return count
end

local ball = ("x"):rep(size)
local partner = lanes.gen("*", echo)()

local start = lanes.now_secs()
for i = 1, count do
    assert(linda:send("there", ball) == true, "not sent")
    local slot, message = linda:receive("back")
    if slot ~= "back" or message ~= ball then
        error("round trip " .. i .. ": wrong answer")
    end
end
local elapsed = lanes.now_secs() - start

local ok, echoed = partner:join()
assert(ok and echoed == count, "the partner failed")

print(("lat bytes=%d round_trips=%d seconds=%.3f one_way_us=%.3f"):format(size, count, elapsed, elapsed / count / 2 * 1e6))
