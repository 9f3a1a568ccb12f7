-- A value of LANES_API that is no generation changes nothing
-- env: LANES_API=seven
local check = require "check"
check.gives(check.list(nil, "timeout"), require "lanes".linda():receive(0, "x"))

check.done()
