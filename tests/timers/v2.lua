-- Timers of Lanes 2.x are on from the start
-- load: lanes.v2
local check = require "check"
require "lanes"
local linda = lanes.linda()

check.gives(check.list(), lanes.timer(linda, "k", 0.05))
local stamp, key = linda:receive(10, "k")
check.eq(key, "k")
check.eq(type(stamp), "number")
-- one-shot timers and stopping leave the others alive
lanes.timer(linda, "tick", 0.02, 0.02)
lanes.timer(linda, "k", 0)
check.eq(select(2, linda:receive(10, "k")), "k")
for _ = 1, 3 do check.eq(select(2, linda:receive(10, "tick")), "tick") end
lanes.timer(linda, "tick", 0)
check.raises("number or table expected", lanes.timer, linda, "k", nil)

check.done()
