-- threads() lists the lanes, if tracking is on
-- args: on
-- args: off
local check = require "check"
local lanes = require "lanes".configure { track_lanes = arg[1] == "on" }
local linda = lanes.linda()

if arg[1] == "off" then
    check.raises("lane tracking is not available", lanes.threads)
else
    check.gives(check.list(), lanes.threads())
    local first = lanes.gen("*", { name = "first" }, function(l) l:receive "x" end)(linda)
    require "lane".reaches(first, "waiting")
    local second = lanes.gen("*", { name = "second" }, function() end)()
    second:join()
    local list = lanes.threads()
    check.eq(#list, 2)
    check.eq(list[1].name, "second")
    check.eq(list[1].status, "done")
    check.eq(list[2].name, "first")
    check.eq(list[2].status, "waiting")
    -- a lane that is over is forgotten with its handle
    list, second = nil, nil
    collectgarbage()
    collectgarbage()
    list = lanes.threads()
    check.eq(#list, 1)
    check.eq(list[1].name, "first")
    first:cancel()
end

check.done()
