-- Lindas made and dropped by the hundred thousand, also inside lindas, leak nothing
-- needs: linux
-- timeout: 60
local check = require "check"
local lanes = require "lanes"
local process = require "process"
local box = lanes.linda()

local function make(count)
    for i = 1, count do
        local l = lanes.linda()
        l:send("k", "value", { 1 })
        l:limit("k", 5)
        box:send("box", l)
        if i % 10 == 0 then
            for _ = 1, 10 do box:receive "box" end
        end
    end
    collectgarbage()
    collectgarbage()
    return process.memory()
end
make(10000)
local before = make(10000)
local after = make(100000)
check.is_true(after - before < 6000, ("grew from %d to %d KiB"):format(before, after))

check.done()
