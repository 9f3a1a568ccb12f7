-- Three stages, each a lane, with short queues between them
--
--   lua pipeline.lua
--
-- The stages do not know each other: each takes from one key and sends to the
-- next. The limits hold the fast ones back: no queue grows beyond them, however
-- slow the last stage is.

local lanes = require "lanes"

local LIMIT = 3
local ITEMS = 20

local linda = lanes.linda { name = "pipeline" }
linda:limit("raw", LIMIT)
linda:limit("cooked", LIMIT)

-- Reads, much faster than the others can follow. `send` waits while the queue
-- is full; it returns nil when the pipeline is cancelled.
local read = lanes.gen("*", { name = "read" }, function()
    for i = 1, ITEMS do
        if not linda:send("raw", i) then return "cancelled", i end
    end
    linda:send("raw", false) -- the end, in the same queue: it overtakes nothing
    return "sent", ITEMS
end)()

local cook = lanes.gen("*", { name = "cook" }, function()
    local done = 0
    while true do
        local key, item = linda:receive("raw")
        if not key then return "cancelled", done end
        if not linda:send("cooked", item and item * item) then return "cancelled", done end
        if not item then return "cooked", done end
        done = done + 1
    end
end)()

-- The last stage is this lane. It notes how long the queues were at most.
local longest, sum = 0, 0
while true do
    lanes.sleep(0.002) -- slower than the others
    for _, key in ipairs { "raw", "cooked" } do
        longest = math.max(longest, linda:count(key) or 0)
    end
    local _, item = linda:receive("cooked")
    if not item then break end
    sum = sum + item
end
print("sum of squares", sum)
print("never more than", LIMIT, longest <= LIMIT)
print(read:join())
print(cook:join())

-- A pipeline that is not wanted any more: cancel its linda, and every stage
-- that waits in it goes home by itself.
linda:set("raw")
local endless = lanes.gen("*", { name = "endless" }, function()
    local i = 0
    repeat i = i + 1 until not linda:send("raw", i)
    return "went home"
end)()
linda:receive("raw")
linda:cancel()
print(endless:join())
