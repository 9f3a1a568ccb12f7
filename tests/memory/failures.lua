-- Refused values, failed receives and failed lanes leak nothing
-- needs: linux
-- timeout: 120
local check = require "check"
local lanes = require "lanes"
local process = require "process"
local linda = lanes.linda()

local co = coroutine.create(function() end)
local bad = { ("x"):rep(2000), { linda, co } }
local failing = lanes.gen("base", function(l)
    for _ = 1, 10 do pcall(l.receive, l, 0, "k") end
    error { ("y"):rep(2000) }
end)
local refused = lanes.gen("*", function(v) return v end)
local function fail(count)
    for i = 1, count do
        pcall(linda.send, linda, "k", bad)
        pcall(linda.set, linda, "k", bad, bad)
        pcall(refused, bad)
        if i % 10 == 0 then
            for _ = 1, 10 do linda:send("k", { ("z"):rep(1000), io.write }) end
            failing(linda):join()
        end
    end
    collectgarbage()
    collectgarbage()
    return process.memory()
end
fail(2000)
local before = fail(2000)
local after = fail(15000)
check.is_true(after - before < 6000, ("grew from %d to %d KiB"):format(before, after))
check.eq(linda:count "k", 0)

check.done()
