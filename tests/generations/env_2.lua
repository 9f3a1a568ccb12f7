-- LANES_API=2 in the environment selects the interface for an untouched script
-- env: LANES_API=2
local check = require "check"
local module = require "lanes"
local linda = module.linda()
linda:send("k", "v")
check.eq(lanes, module)
check.gives(check.list("v", "k"), linda:receive "k")
check.gives(check.list("v", "k"), module.gen("*", function()
    local l = require "lanes".linda()
    l:send("k", "v")
    return l:receive "k"
end)():join())

check.done()
