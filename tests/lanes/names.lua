-- A lane can change its name; the handle sees it, also after the end
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

local h = lanes.gen("*", { name = "first" }, function(l)
    check_first = lane_threadname()
    check.results(0, lane_threadname "second")
    l:send("renamed", true)
    l:receive "go on"
    lane_threadname "third"
    return check_first, lane_threadname()
end)(linda)
linda:receive(10, "renamed")
check.eq(h:get_threadname(), "second")
linda:send("go on", true)
check.gives(check.list(true, "first", "third"), h:join())
check.eq(h:get_threadname(), "third")
check.raises("too many arguments", h.get_threadname, h, 1)

local errors = lanes.gen("*", function()
    local _, a = pcall(lane_threadname, "a", "b")
    local _, b = pcall(lane_threadname, {})
    return a, b
end)()
local _, a, b = errors:join()
check.is_true(a:find("Wrong number of arguments", 1, true), a)
check.is_true(b:find("string expected", 1, true), b)

check.done()
