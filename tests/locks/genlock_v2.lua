-- genlock in 2.x answers nothing; without a number there is no limit
-- load: lanes.v2
local check = require "check"
require "lanes"

local l = lanes.linda()
local lock = lanes.genlock(l, 7, 1)
check.results(0, lock(1))
check.eq(l:count(7), 1)
check.results(0, lock(-1))
check.eq(l:count(7), 0)
local free = lanes.genlock(l, "free")
free(1); free(1)
check.eq(l:count "free", 2)
free(-2)
local add = lanes.genatomic(l, "n", 5)
check.eq(add(), 6)
check.done()
