-- A dump gives the contents and settings of every slot, as copies
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

check.gives(check.list(), linda:dump())
local value = { "t" }
linda:send("k", 1, "two", value)
local dump = linda:dump()
check.same(dump, {
    k = { first = 1, count = 3, limit = "unlimited", restrict = "none", fifo = { 1, "two", { "t" } } },
})
check.is_true(dump.k.fifo[3] ~= value)
check.eq(linda:count "k", 3, "nothing was taken")

-- the first index grows as values leave, and starts again when none is left
linda:receive "k"
local k = linda:dump().k
check.eq(k.first, 2)
check.eq(k.fifo[1], nil)
check.eq(k.fifo[2], "two")
check.eq(k.count, 2)
linda:receive_batched("k", 2)
linda:limit("k", 7)
check.same(linda:dump().k, { first = 1, count = 0, limit = 7, restrict = "none", fifo = {} })
linda:send("k", "again")
check.eq(linda:dump().k.fifo[1], "again")

-- many slots of many kinds, and a linda among the keys and values
linda:send(linda, linda)
linda:send(nil, 1.5, 1)
linda:send(true, 1)
dump = linda:dump()
check.eq(dump[linda].fifo[1], linda)
check.eq(dump[1.5].count, 1)
check.eq(dump[true].count, 1)
linda:set(linda) -- a linda in itself would never go

check.done()
