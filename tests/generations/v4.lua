-- lanes.v4 is today's interface, whatever the environment says
-- load: lanes.v4
local check = require "check"
local lanes = require "lanes"

check.eq(require "lanes.v4", lanes)
check.gives(check.list(nil, "timeout"), lanes.linda():receive(0, "x"))
check.raises("speaks the interface of Lanes 4.x already", require, "lanes.v3")
check.raises("speaks the interface of Lanes 4.x already", require, "lanes.v2")
check.eq(require "lanes", lanes)

check.done()
