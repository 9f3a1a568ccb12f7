-- Every kind of new room wakes a blocked sender
local check = require "check"
local lanes = require "lanes"
local lane = require "lane"

local kinds = {
    receive = function(l) l:receive "k" end,
    ["receive of another key too"] = function(l) l:receive("nothing", "k") end,
    batch = function(l) l:receive_batched("k", 2) end,
    set = function(l) l:set("k", "new") end,
    ["set to nothing"] = function(l) l:set "k" end,
    ["raised limit"] = function(l) l:limit("k", 10) end,
    ["lifted limit"] = function(l) l:limit("k", "unlimited") end,
}
for kind, make in pairs(kinds) do
    local linda = lanes.linda()
    linda:limit("k", 2)
    linda:send("k", 1, 2)
    local h = lanes.gen("*", function(l) return l:send(10, "k", "late") end)(linda)
    lane.reaches(h, "waiting")
    make(linda)
    local ok, sent, why = h:join(10)
    check.is_true(ok and sent, kind .. ": " .. tostring(why))
end

-- for a batch too: room for one does not do, room for all does
local linda = lanes.linda()
linda:limit("k", 3)
linda:send("k", 1, 2)
local h = lanes.gen("*", function(l) return l:send(10, "k", "a", "b", "c") end)(linda)
lane.reaches(h, "waiting")
linda:receive "k"
check.gives(check.list(nil, "timeout"), h:join(0.05))
check.eq(linda:count "k", 1)
linda:receive "k"
check.gives(check.list(true, true), h:join(10))
check.gives(check.list("k", "a", "b", "c"), linda:receive_batched(0, "k", 3))

-- bigger than the limit: only a higher limit helps
linda:limit("k", 2)
h = lanes.gen("*", function(l) return l:send(10, "k", 1, 2, 3) end)(linda)
lane.reaches(h, "waiting")
linda:set "k"
check.gives(check.list(nil, "timeout"), h:join(0.05))
linda:limit("k", 3)
check.gives(check.list(true, true), h:join(10))

-- a lowered limit blocks
linda:set "k"
linda:limit("k", 0)
check.gives(check.list(nil, "timeout"), linda:send(0, "k", 1))

-- one receive makes room for one sender, and for one only
linda:limit("k", 1)
linda:send("k", 0)
local senders = {}
for i = 1, 5 do
    senders[i] = lane.reaches(lanes.gen("*", function(l, n) return l:send(20, "k", n) end)(linda, i), "waiting")
end
local sum = 0
for _ = 0, 5 do
    local _, n = linda:receive(10, "k")
    sum = sum + n
end
check.eq(sum, 15)
for _, sender in ipairs(senders) do
    check.gives(check.list(true, true), sender:join(10))
end

check.done()
