-- Using the module settles the generation; selecting another afterwards is an error
local check = require "check"
local lanes = require "lanes"

-- required, but not used yet: still open
check.eq(type(lanes.configure), "function")
lanes.linda()
check.raises("speaks the interface of Lanes 4.x already", require, "lanes.v2")
check.raises("speaks the interface of Lanes 4.x already", require, "lanes.v3")
check.eq(require "lanes.v4", lanes)
check.eq(require "lanes", lanes)

check.done()
