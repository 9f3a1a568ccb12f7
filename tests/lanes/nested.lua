-- Lanes start lanes, which outlive them
local check = require "check"
local lanes = require "lanes"
local list, gives = check.list, check.gives
local linda = lanes.linda()

local function nest(depth)
    local lanes = require "lanes"
    if depth == 0 then return "bottom" end
    local ok, value = lanes.gen("*", nest)(depth - 1):join()
    return value
end
gives(list(true, "bottom"), lanes.gen("*", nest)(8):join())

-- a child whose parent is over goes on, and so does one whose handle is gone
gives(list(true), lanes.gen("*", function(l)
    require "lanes".gen("*", function(l)
        l:receive(20, "go")
        l:send("done", "by the child")
    end)(l)
end)(linda):join())
collectgarbage()
linda:send("go", true)
gives(list("done", "by the child"), linda:receive(20, "done"))

-- fan out and in
local workers = {}
for i = 1, 10 do
    workers[i] = lanes.gen("*", function(l, i)
        local inner = {}
        for j = 1, 3 do inner[j] = require "lanes".gen("*", function(l, v) l:send("sum", v) end)(l, i * j) end
        for j = 1, 3 do inner[j]:join() end
    end)(linda, i)
end
local sum = 0
for _ = 1, 30 do sum = sum + select(2, linda:receive(20, "sum")) end
check.eq(sum, 55 * 6)
for _, h in ipairs(workers) do gives(list(true), h:join(10)) end

check.done()
