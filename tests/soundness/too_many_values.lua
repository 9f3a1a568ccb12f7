-- a batch that the stack cannot take stays in the linda

local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
for i = 1, 10000 do linda:send("k", i) end
local got = select("#", linda:receive_batched("k", 1, 10000)) - 1
check.eq(got <= 10000 and got >= 7000, true)
check.eq(got + linda:count("k"), 10000)
local before = linda:count("k")
local ok = pcall(linda.receive_batched, linda, 0, "k", 2000000, 2000000)
check.eq(linda:count("k"), before)
check.eq(type(ok), "boolean")
check.eq((linda:get("k", 1000000)), before > 0 and before or 0)
check.done()
