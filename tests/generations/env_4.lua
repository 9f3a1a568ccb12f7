-- LANES_API=4 in the environment selects the interface for an untouched script
-- env: LANES_API=4
local check = require "check"
local module = require "lanes"
local linda = module.linda()
linda:send("k", "v")
check.eq(rawget(_G, "lanes"), nil)
check.gives(check.list("k", "v"), linda:receive "k")
check.gives(check.list(nil, "timeout"), linda:receive(0, "k"))

check.done()
