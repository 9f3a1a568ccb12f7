-- A conversion that changes the table it is found in is an error or harmless, never a crash
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

for round = 1, 50 do
    local t = {}
    for i = 1, 20 do t["key " .. i] = i end
    t["key " .. (round % 20 + 1)] = setmetatable({}, {
        __lanesconvert = function()
            for i = 1, 20 do t["key " .. i] = nil end
            for i = 1, round * 10 do t[i] = i end
            collectgarbage()
            return "converted"
        end,
    })
    local ok, err = pcall(linda.send, linda, "k", t)
    if ok then
        check.eq(type(select(2, linda:receive(0, "k"))), "table")
    else
        check.is_true(tostring(err):find "argument 2", tostring(err))
    end
end

-- one that uses the linda itself, or starts lanes
local object = setmetatable({}, {
    __lanesconvert = function()
        linda:send("inner", { 1 })
        return (select(2, lanes.gen("*", function() return "from a lane" end)():join()))
    end,
})
linda:send("outer", { object })
check.eq(linda:count "inner", 1)
check.same(select(2, linda:receive "outer"), { "from a lane" })

-- and one that raises in the middle leaves nothing queued
linda:set "k"
local bad = setmetatable({}, { __lanesconvert = function() error { "a table" } end })
check.eq(pcall(linda.send, linda, "k", 1, { 1, 2, bad }), false)
check.eq(linda:count "k", nil)

check.done()
