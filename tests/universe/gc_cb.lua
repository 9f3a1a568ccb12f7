-- gc_cb is called when the handle is collected, with the lane's name and what becomes of it
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
local calls = {}

local function start(name, body)
    local h = lanes.gen("*", { name = name, gc_cb = function(name, status) calls[#calls + 1] = name .. " " .. status end }, body)(linda)
    return h
end
local h = start("over", function() end)
h:join()
h = nil
collectgarbage()
collectgarbage()
check.same(calls, { "over closed" })
calls = {}
h = start("goes on", function(l) l:receive "x" end)
require "lane".reaches(h, "waiting")
h = nil
collectgarbage()
collectgarbage()
check.same(calls, { "goes on selfdestruct" })

check.done()
