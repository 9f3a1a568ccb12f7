-- LANES_API and another generation by name: the conflict is told
-- env: LANES_API=3
local check = require "check"
check.raises("speaks the interface of Lanes 3.x already", require, "lanes.v4")
check.gives(check.list(), require "lanes".linda():receive(0, "x"))

check.done()
