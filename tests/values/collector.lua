-- The program's collector is left as it was
-- needs: lua>=5.2
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

collectgarbage "stop"
check.eq(collectgarbage "isrunning", false)
for i = 1, 100 do
    linda:send("k", { i, function() return i end })
    linda:receive "k"
    linda:set("s", {})
    linda:get "s"
    linda:dump()
end
lanes.gen("*", function() return { 1 } end)():join()
pcall(linda.send, linda, "k", coroutine.create(function() end))
check.eq(collectgarbage "isrunning", false)
collectgarbage "restart"
check.eq(collectgarbage "isrunning", true)

check.done()
