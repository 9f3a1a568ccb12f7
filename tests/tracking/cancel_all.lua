-- cancel_all ends every lane but the caller's, also those without a handle
local check = require "check"
local lanes = require "lanes"

local l = lanes.linda()
for _ = 1, 5 do lanes.gen("*", function() l:receive "never" end)() end
collectgarbage()
check.eq(lanes.cancel_all("soft", 10), true)
local h = lanes.gen("*", function()
    require "lanes".sleep(60)
end)()
check.eq(lanes.cancel_all("hard", 10), true)
check.eq(h.status, "cancelled")
check.eq(lanes.gen("*", function()
    require "lanes".cancel_all()
    return "alive"
end)()[1], "alive")
check.raises("soft", lanes.cancel_all, "line")
check.done()
