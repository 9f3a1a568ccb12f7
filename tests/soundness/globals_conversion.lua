-- the list of globals and metatables are never converted, whatever the fallback says

local check = require "check"
local lanes = require "lanes".configure{ convert_fallback = require "lanes".null }
local linda = lanes.linda()

check.eq(lanes.gen("*", { globals = { x = 1 } }, function() return x end)()[1], 1)
linda:send("k", setmetatable({ 7 }, { __index = function() return "meta" end }))
local _, t = linda:receive(0, "k")
check.eq(t[1], 7)
check.eq(t.anything, "meta")
check.done()
