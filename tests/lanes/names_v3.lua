-- A lane's name in Lanes 3.x
-- load: lanes.v3
local check = require "check"
local lanes = require "lanes".configure()

local h = lanes.gen("*", function()
    set_debug_threadname "new name"
    return lane_threadname == nil
end)()
check.gives(check.list(true), h:join())
check.eq(h:get_debug_threadname(), "new name")
check.eq(lanes.gen("*", function() end)():get_debug_threadname(), "<unnamed>")

check.done()
