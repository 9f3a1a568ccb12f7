-- A million messages through a linda leave the memory as it was
-- needs: linux
-- args: strings
-- args: tables
-- timeout: 120
local check = require "check"
local lanes = require "lanes"
local process = require "process"
local linda = lanes.linda()
linda:limit("k", 100)
local COUNT = arg[1] == "strings" and 1000000 or 200000

local value = arg[1] == "strings" and ("x"):rep(512) or { id = 1, name = "abc", vals = { 1, 2, 3 } }
local function pump(count)
    local producer = lanes.gen("*", function(l, value, n)
        for _ = 1, n do l:send("k", value) end
    end)(linda, value, count)
    for _ = 1, count do linda:receive "k" end
    check.gives(check.list(true), producer:join())
    producer = nil
    collectgarbage()
    collectgarbage()
    return process.memory()
end
-- the collectors of the states find their pace
pump(COUNT / 2)
local before = pump(COUNT / 2)
local after = pump(COUNT)
check.is_true(after - before < 6000, ("grew from %d to %d KiB"):format(before, after))

check.done()
