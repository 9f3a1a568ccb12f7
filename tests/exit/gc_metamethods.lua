-- __gc metamethods that use lindas and handles, in lanes and when the main state closes
-- loop: 3
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

local function collected(f)
    local object
    if newproxy then
        object = newproxy(true)
        getmetatable(object).__gc = f
    else
        object = setmetatable({}, { __gc = f })
    end
    return object
end

-- in a lane: its state is closed before join returns
local h = lanes.gen("*", function(l)
    local function collected(f)
        if newproxy then
            local object = newproxy(true)
            getmetatable(object).__gc = f
            return object
        end
        return setmetatable({}, { __gc = f })
    end
    kept = collected(function() l:send("collected", "in the lane") end)
    return 1
end)(linda)
check.gives(check.list(true, 1), h:join())
check.gives(check.list("collected", "in the lane"), linda:receive(0, "collected"))

-- in the main state, at the end: whether these calls still work is not promised
kept = {}
local waiting = lanes.gen("*", function(l) l:receive "never" end)(linda)
for i = 1, 10 do
    kept[i] = collected(function()
        pcall(linda.send, linda, "late", { i })
        pcall(linda.receive, linda, 0, "late")
        pcall(waiting.join, waiting, 0)
        pcall(function() return waiting.status end)
        pcall(lanes.gen, "*", print)
        pcall(lanes.linda)
    end)
end
kept.self = kept

check.done()
