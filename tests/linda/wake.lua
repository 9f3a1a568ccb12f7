-- A wake-up makes those who wait look again, and nobody returns because of it
local check = require "check"
local lanes = require "lanes"
local lane = require "lane"
local linda = lanes.linda()
local list, gives = check.list, check.gives
linda:limit("full", 0)

local reader = lanes.gen("*", function(l) return l:receive(20, "x") end)(linda)
local writer = lanes.gen("*", function(l) return l:send(20, "full", 1) end)(linda)
lane.reaches(reader, "waiting")
lane.reaches(writer, "waiting")
for _ = 1, 20 do
    gives(list(), linda:wake())
    gives(list(), linda:wake "both")
    gives(list(), linda:wake "read")
    gives(list(), linda:wake "write")
end
gives(list(nil, "timeout"), reader:join(0.05))
gives(list(nil, "timeout"), writer:join(0.05))
check.raises("unknown wake hint 'none'", linda.wake, linda, "none")
check.raises("unknown wake hint 'x'", linda.wake, linda, "x")
check.raises("wrong number of arguments", linda.wake, linda, "both", 1)
linda:send("x", 1)
linda:limit("full", 1)
gives(list(true, "x", 1), reader:join(10))
gives(list(true, true), writer:join(10))

check.done()
