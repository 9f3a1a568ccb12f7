-- Timeouts of Lanes 2.x: numeric strings count, negative ones are for ever
-- load: lanes.v2
local check = require "check"
require "lanes"
local lane = require "lane"
local linda = lanes.linda()
local list, gives = check.list, check.gives

gives(list(), linda:receive("0", "x"))
gives(list(), linda:receive("0.01", "x"))
gives(list(), linda:receive(" 0x0 ", "x"))
gives(list(true), linda:send("0.5", "x", 1))
gives(list(1, "x"), linda:receive("1e20", "x"))
-- a string that is no number is a key
gives(list(true), linda:send("3 apples", 1))
gives(list(1, "3 apples"), linda:receive "3 apples")
check.raises("NaN", linda.receive, linda, 0 / 0, "x")

local h = lanes.gen("*", function(l) return l:receive(-1, "late") end)(linda)
lane.reaches(h, "waiting")
gives(list(), h:join(0.05))
linda:send("late", 1)
gives(list(1, "late"), h:join(-1))

check.done()
