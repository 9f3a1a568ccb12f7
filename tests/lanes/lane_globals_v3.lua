-- 3.x: what exists in lanes only
-- load: lanes.v3
local check = require "check"
local lanes = require "lanes".configure { with_timers = false }

for _, name in ipairs { "set_finalizer", "cancel_test", "set_debug_threadname", "set_error_reporting", "decoda_name" } do
    check.eq(_G[name], nil)
end
local h = lanes.gen("*", function()
    local before = decoda_name
    set_debug_threadname "renamed"
    return before, decoda_name, type(set_finalizer), lane_threadname
end)()
check.is_true(h[1]:find "^Lane #")
check.eq(h[2], "renamed")
check.eq(h[3], "function")
check.eq(h[4], nil)

local function fails(model)
    local h = lanes.gen("*", function()
        if model then set_error_reporting(model) end
        error "oops"
    end)()
    return select(3, h:join())
end
check.eq(type(fails()[1]), "string")
check.eq(type(fails "basic"[1]), "string")
check.eq(type(fails "extended"[1]), "table")
local _, err = lanes.gen("*", function() set_error_reporting "full" end)():join()
check.is_true(err:find("unsupported error reporting model full", 1, true))
check.done()
