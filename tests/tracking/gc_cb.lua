-- gc_cb is told when a handle is collected: after the end, or before
local check = require "check"
local lanes = require "lanes"

local calls = {}
local function gc_cb(name, status) calls[#calls + 1] = name .. " " .. status end
local l = lanes.linda()
local h = lanes.gen("*", { gc_cb = gc_cb, name = "ended" }, function() return 1 end)()
check.eq(h[1], 1)
h = nil
collectgarbage()
collectgarbage()
check.same(calls, { "ended closed" })

h = lanes.gen("*", { gc_cb = gc_cb }, function() l:receive "stop"; l:send("gone", true) end)()
repeat lanes.sleep(0.001) until h.status == "waiting"
h = nil
collectgarbage()
collectgarbage()
check.same(calls, { "ended closed", "<unnamed> selfdestruct" })
l:send("stop", true)
check.eq((l:receive(10, "gone")), "gone")

-- A failed launch calls nothing.
check.is_true(not pcall(lanes.gen("*", { gc_cb = gc_cb }, function() end), coroutine.create(function() end)))
collectgarbage()
check.eq(#calls, 2)
check.done()
