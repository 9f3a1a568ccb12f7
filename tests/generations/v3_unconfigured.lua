-- lanes.v3 without configure: the first use configures
-- load: lanes.v3
local check = require "check"
local lanes = require "lanes"

check.eq(type(lanes.configure), "function")
check.gives(check.list(false), lanes.linda "l" and (function()
    local l = lanes.linda()
    l:limit("k", 0)
    return l:send(0, "k", 1)
end)())
check.eq(lanes.configure, nil)

check.done()
