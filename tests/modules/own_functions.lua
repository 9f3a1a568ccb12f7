-- The module's own functions are the receiver's, wherever they are used
local check = require "check"
local lanes = require "lanes".configure()

local linda, gen, genlock, nameof = lanes.linda, lanes.gen, lanes.genlock, lanes.nameof
check.eq(lanes.gen("*", function() return tostring(linda { name = "x" }) end)()[1], "Linda: x")
check.eq(lanes.gen("*", function() return gen("*", function() return 5 end)()[1] end)()[1], 5)
check.eq(lanes.gen("*", function() return genlock(linda(), 1)(1) end)()[1], true)
check.eq(lanes.gen("*", function() return select(2, nameof(print)) end)()[1], "_G/print()")
check.eq(lanes.gen("*", function() return linda == require "lanes".linda end)()[1], true)
check.eq(lanes.gen("base", function() return lanes.now_secs() > 0 end)()[1], true)
check.raises("'base' library not available", lanes.gen(function() return lanes.now_secs() end))

-- What they made travels as well.
local l = lanes.linda()
local lock, add = lanes.genlock(l, "lock"), lanes.genatomic(l, "n")
local h = lanes.gen("", function() return lock(1, "try"), add(2) end)()
check.eq(h[1], true)
check.eq(h[2], 2)
check.eq(lanes.gen(function() return add(2) end)()[1], 4)
check.done()
