-- How a handle looks in Lanes 3.x
-- load: lanes.v3
local check = require "check"
local lanes = require "lanes".configure()
local list, gives = check.list, check.gives

local h = lanes.gen("*", function(...) return ... end)(1, nil)
check.eq(getmetatable(h), "Lane")
check.eq(h[0], true)
check.eq(h[1], 1)
check.raises("can't index a lane with 'nothing'", function() return h.nothing end)
check.raises("", function() return h[{}] end)
check.raises("", function() h.x = 1 end)
gives(list(1, nil), h:join())

h = lanes.gen("*", function() error("oops", 0) end)()
check.raises("oops", function() return h[1] end)
check.eq(h[-1], "oops")
check.raises("oops", function() return h[-2] end)
local none, err, trace = h:join()
check.eq(none, nil)
check.eq(err, "oops")
check.eq(type(trace), "table")
check.eq(type(table.concat(trace, "\n")), "string")

check.done()
