-- Timeouts of Lanes 3.x: negative ones are for ever, strings are keys
-- load: lanes.v3
local check = require "check"
local lanes = require "lanes".configure()
local lane = require "lane"
local linda = lanes.linda()
local list, gives = check.list, check.gives

local h = lanes.gen("*", function(l) return l:receive(-1, "late") end)(linda)
lane.reaches(h, "waiting")
gives(list(nil, "timeout"), h:join(0.05))
linda:send("late", 1)
gives(list("late", 1), h:join(-1))

-- a numeric string is a key and therefore not the timeout
gives(list(true), linda:send("0", "v"))
gives(list("0", "v"), linda:receive("0", "x"))
check.raises("NaN", linda.receive, linda, 0 / 0, "x")

-- sleep: nothing means not at all
gives(list(), lanes.sleep())
gives(list(), lanes.sleep(nil))
gives(list(), lanes.sleep(false))
gives(list(), lanes.sleep(0.01))
check.raises('invalid duration "x"', lanes.sleep, "x")
local sleeper = lanes.gen("*", function() return require "lanes".sleep(-1) end)()
lane.reaches(sleeper, "waiting")
sleeper:cancel("hard", 10)
check.eq(sleeper.status, "cancelled")

check.done()
