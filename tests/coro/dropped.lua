-- A suspended lane whose handle is collected is closed: nobody could ever resume it
-- loop: 3
local check = require "check"
local lanes = require "lanes".configure { track_lanes = true }
local l = lanes.linda()

local coro = lanes.coro("*", function(l, n)
    set_finalizer(function(err) l:set("final" .. n, tostring(err)) end)
    if n % 2 == 0 then l:receive(10, "go") end
    coroutine.yield(n)
    l:set("resumed", n)
end)
do
    local handles = {}
    for n = 1, 8 do handles[n] = coro(l, n) end
    for n = 1, 8, 2 do
        repeat lanes.sleep(0.001) until handles[n].status == "suspended"
    end
end
collectgarbage()
collectgarbage()
-- half of them come to their yield only now
for n = 2, 8, 2 do l:send("go", true) end
require "lane".becomes("no lane is left", function() return not lanes.threads() end)
for n = 1, 8 do check.gives(check.list(1, "nil"), l:get("final" .. n)) end
check.eq(l:count "resumed", nil)

-- A request that was there before is seen first, as in any other lane.
local h = lanes.coro("*", function(l)
    set_finalizer(function(err) l:set("cancelled", err == require "lanes".cancel_error) end)
    l:receive(10, "go")
    coroutine.yield()
end)(l)
repeat lanes.sleep(0.001) until h.status == "waiting"
h:cancel("hard", 0)
h = nil
collectgarbage()
collectgarbage()
require "lane".becomes("no lane is left", function() return not lanes.threads() end)
check.gives(check.list(1, true), l:get "cancelled")
check.done()
