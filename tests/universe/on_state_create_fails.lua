-- An error in on_state_create is the launcher's
local check = require "check"
local lanes = require "lanes".configure { on_state_create = function() error("refused", 0) end }
check.raises('on_state_create failed in lane: "refused"', lanes.gen("*", function() end))

check.done()
