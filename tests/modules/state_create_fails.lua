-- An error in on_state_create is the launch's, or configure's
local check = require "check"
local lanes = require "lanes"

-- A C function is called at once, in a state with nothing but package.
check.raises('on_state_create failed in keeper: "', lanes.configure, { on_state_create = error })
check.eq(getmetatable(lanes), "Lanes")
lanes.configure { on_state_create = function(where) error("no " .. where, 0) end }
check.raises('on_state_create failed in lane: "no lane"', lanes.gen("*", function() end))
check.done()
