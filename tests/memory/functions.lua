-- A loop that does nothing but move functions lets the collector work
-- needs: linux
-- timeout: 60
local check = require "check"
local lanes = require "lanes"
local process = require "process"
local linda = lanes.linda()

local function f() end
linda:set("kept", f)
local function move(count)
    for _ = 1, count do
        linda:send("k", f)
        linda:receive "k"
        linda:get "kept"
    end
    return process.memory()
end
move(10000)
local before = move(10000)
local after = move(200000)
check.is_true(after - before < 6000, ("main: grew from %d to %d KiB"):format(before, after))

-- a lane that only sends
linda:limit("k", 100)
local h = lanes.gen("*", function(l, f, n)
    for _ = 1, n do l:send("k", f) end
    return collectgarbage "count"
end)(linda, f, 200000)
for _ = 1, 200000 do linda:receive "k" end
local _, count = h:join()
check.is_true(count < 6000, ("sender: %g KiB"):format(count))

check.done()
