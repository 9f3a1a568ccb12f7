-- __lanesignore in Lanes 3.x: the object becomes nil
-- load: lanes.v3
local check = require "check"
local lanes = require "lanes".configure()
local linda = lanes.linda()

local ignored = setmetatable({ 1 }, { __lanesignore = true })
linda:send("k", ignored, { ignored, x = ignored, y = 1 }, setmetatable({ 2 }, { __lanesignore = false }))
check.gives(check.list("k", nil, { nil, y = 1 }, { 2 }), linda:receive(linda.batched, "k", 3))
-- conversion is of 4.x
linda:send("k", setmetatable({ 3 }, { __lanesconvert = linda.null }))
check.gives(check.list("k", { 3 }), linda:receive "k")

check.done()
