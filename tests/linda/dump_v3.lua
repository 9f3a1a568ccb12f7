-- A dump in Lanes 3.x has -1 for no limit, and no restriction
-- load: lanes.v3
local check = require "check"
local lanes = require "lanes".configure()
local linda = lanes.linda()

check.gives(check.list(), linda:dump())
linda:send("k", 1, 2)
check.same(linda:dump(), { k = { first = 1, count = 2, limit = -1, fifo = { 1, 2 } } })
linda:limit("k", 3)
check.eq(linda:dump().k.limit, 3)
linda:limit("k", -1)
check.eq(linda:dump().k.limit, -1)
check.raises("wrong number of arguments", linda.limit, linda, "k")

check.done()
