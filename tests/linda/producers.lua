-- Many producers, one consumer: the values of each stay in order, and batches stay together
-- loop: 2
-- timeout: 60
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
linda:limit("k", 7)

local PRODUCERS, COUNT = 5, 1000
local handles = {}
for p = 1, PRODUCERS do
    handles[p] = lanes.gen(function(l, p, n)
        local send = l.send
        for i = 1, n, 2 do send(l, "k", p, i, i + 1) end
    end)(linda, p, COUNT)
end
local last = {}
for _ = 1, PRODUCERS * COUNT / 2 do
    local key, p, a, b = linda:receive_batched(20, "k", 3)
    check.eq(key, "k")
    check.eq(a, (last[p] or 0) + 1)
    check.eq(b, a + 1)
    last[p] = b
end
for p = 1, PRODUCERS do
    check.eq(last[p], COUNT)
    check.gives(check.list(true), handles[p]:join(10))
end
check.eq(linda:count "k", 0)

check.done()
