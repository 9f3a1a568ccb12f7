-- 2.x: cancelstep stops lanes that only compute
-- load: lanes.v2
-- needs: nojit
local check = require "check"
require "lanes"

local gen = lanes.gen("*", { cancelstep = 100 }, function() while true do end end)
local h = gen()
check.eq(h:cancel(10), true)
check.eq(h.status, "cancelled")
check.raises("Bad cancelstep: x", lanes.gen, { cancelstep = "x" }, function() end)
check.done()
