-- a lane of a 2.x program that requires lanes has the global, too
-- load: lanes.v2

local check = require "check"
require "lanes"
local h = lanes.gen("*", function()
  require "lanes"
  return lanes.gen("*", function(n) return n + 1 end)(41)[1]
end)()
check.eq(h[1], 42)
check.done()
