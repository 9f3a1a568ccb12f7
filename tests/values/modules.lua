-- The module table as an upvalue is the receiver's own module
local check = require "check"
local lanes = require "lanes"

local ok, same, done = lanes.gen("*", function()
    local h = lanes.gen("*", function() return "inner" end)()
    return lanes == require "lanes", select(2, h:join())
end)():join()
check.gives(check.list(true, true, "inner"), ok, same, done)

-- a module written in Lua travels as a table and runs there
local check_eq = check.eq
check.gives(check.list(true, 1), lanes.gen("*", function() return check.eq(1, 1) end)():join())
check.gives(check.list(true, 2), lanes.gen("*", function() return check_eq(2, 2) end)():join())

check.done()
