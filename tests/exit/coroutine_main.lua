-- Everything works from coroutines of the main state, which may be where the module is first required
-- valgrind: yes
local check = require "check"

local co = coroutine.wrap(function()
    local lanes = require "lanes"
    local linda = lanes.linda()
    local h = lanes.gen("*", function(l) l:send("k", 1); return 2 end)(linda)
    coroutine.yield(linda:receive(10, "k"))
    coroutine.yield(h:join())
    coroutine.yield(pcall(linda.send, linda, "k", coroutine.create(function() end)))
end)
check.gives(check.list("k", 1), co())
check.gives(check.list(true, 2), co())
check.eq(co(), false)
co = nil
collectgarbage()
collectgarbage()
check.gives(check.list(true, 3), require "lanes".gen("*", function() return 3 end)():join())

check.done()
