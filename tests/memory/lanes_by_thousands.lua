-- Lanes made and dropped by thousands leave no memory and no threads behind
-- needs: linux
-- timeout: 120
local check = require "check"
local lanes = require "lanes"
local process = require "process"
local linda = lanes.linda()

local gen = lanes.gen("*", function(l, i) return { i, l } end)
local function make(count)
    for i = 1, count, 10 do
        local handles = {}
        for j = 1, 10 do handles[j] = gen(linda, i) end
        -- half are joined, half just dropped
        for j = 1, 5 do check.eq(select(2, handles[j]:join())[1], i) end
    end
    collectgarbage()
    collectgarbage()
    require "lane".becomes("the threads are gone", function() return process.threads() <= 6 end)
    return process.memory()
end
make(500)
local before = make(500)
local after = make(4000)
check.is_true(after - before < 6000, ("grew from %d to %d KiB"):format(before, after))

check.done()
