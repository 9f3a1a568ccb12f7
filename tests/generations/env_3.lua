-- LANES_API=3 in the environment selects the interface for an untouched script
-- env: LANES_API=3
local check = require "check"
local module = require "lanes"
local linda = module.linda()
linda:send("k", "v")
check.eq(rawget(_G, "lanes"), nil)
check.gives(check.list("k", "v"), linda:receive "k")
check.gives(check.list(), linda:receive(0, "k"))

check.done()
