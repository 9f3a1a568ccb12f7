-- A custom _ENV is copied like any table
-- needs: lua>=5.2
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

local function make()
    local _ENV = { x = 1 }
    return function() x = x + 1; return x end, function() return x end
end
local inc, get = make()
linda:send("k", inc, get)
local _, inc2, get2 = linda:receive_batched("k", 2)
inc2()
check.eq(get2(), 2)
check.eq(get(), 1)

-- a lane body with one
local ok, v, w = lanes.gen("*", (function()
    local _ENV = { y = "own" }
    return function() z = 5; return y, z end
end)())():join()
check.gives(check.list(true, "own", 5), ok, v, w)

check.done()
