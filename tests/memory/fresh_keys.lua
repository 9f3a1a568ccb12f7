-- A fresh key for every message leaks nothing
-- needs: linux
-- timeout: 60
local check = require "check"
local lanes = require "lanes"
local process = require "process"
local linda = lanes.linda()

local serial = 0
local function use(count)
    for _ = 1, count do
        serial = serial + 1
        local key = "reply to request number " .. serial
        linda:send(key, serial)
        linda:receive(0, key)
        linda:set(key)
    end
    collectgarbage()
    collectgarbage()
    return process.memory()
end
use(20000)
local before = use(20000)
local after = use(300000)
check.is_true(after - before < 6000, ("grew from %d to %d KiB"):format(before, after))
check.same(linda:count(), {})

check.done()
