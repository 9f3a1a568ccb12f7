-- 3.x takes "*" with other names, and the names of the core of both generations
-- load: lanes.v3

local check = require "check"
local lanes = require "lanes".configure{ with_timers = false }
for _, libraries in ipairs{ "*", "base,*", "*,io", "lanes.core", "lanes_core", "base,lanes.core,string" } do
  check.eq(lanes.gen(libraries, function() return type(print) end)()[1], "function", libraries)
end
check.eq(lanes.gen("base", "*", function() return type(io.open) end)()[1], "function")
local linda = lanes.linda()
linda:send("k", 7)
check.eq(select(2, linda:receive(0, linda.batched, "k")), 7)
check.done()
