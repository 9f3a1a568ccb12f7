-- Metatables and functions that come and go are forgotten
-- needs: linux
-- timeout: 60
local check = require "check"
local lanes = require "lanes"
local process = require "process"
local linda = lanes.linda()

local echo = lanes.gen("*", function(l)
    while true do
        local key, v = l:receive("quit", "there")
        if key == "quit" then return end
        l:send("back", v)
    end
end)(linda)
local function send(count)
    for i = 1, count do
        local t = setmetatable({}, { __index = function() return i end, name = ("m"):rep(100) .. i })
        linda:send("there", t)
        local _, back = linda:receive(10, "back")
        if getmetatable(back) ~= getmetatable(t) then error "another metatable" end
    end
    collectgarbage()
    collectgarbage()
    return process.memory()
end
send(3000)
local before = send(3000)
local after = send(50000)
check.is_true(after - before < 6000, ("grew from %d to %d KiB"):format(before, after))
linda:send("quit", true)
check.gives(check.list(true), echo:join(10))

check.done()
