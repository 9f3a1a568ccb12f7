-- Locks and counters of Lanes 2.x, also on a numeric slot
-- load: lanes.v2
local check = require "check"
require "lanes"
local linda = lanes.linda()
local list, gives = check.list, check.gives

for _, key in ipairs { "k", 7 } do
    local lock = lanes.genlock(linda, key, 2)
    gives(list(), lock(2))
    gives(list(), lock(-2))
    gives(list(), lock(1))
    gives(list(), lock(-1))
end
local add = lanes.genatomic(linda, "n")
check.eq(add(), 1)
check.eq(add(2.5), 3.5)

check.done()
