-- How a handle looks in Lanes 2.x
-- load: lanes.v2
local check = require "check"
require "lanes"
local list, gives = check.list, check.gives

local h = lanes.gen("*", function(...) return ... end)(1, nil)
check.eq(getmetatable(h), false)
check.eq(h[0], true)
check.eq(h[1], 1)
check.eq(h[2], nil)
check.eq(h[-1], nil)
check.eq(h.nothing, nil)
check.raises("Unknown key", function() return h[{}] end)
check.raises("", function() h.x = 1 end)
gives(list(1, nil), h:join())
gives(list(1, nil), h:join "0")

h = lanes.gen("*", function() error("oops", 0) end)()
check.raises("oops", function() return h[1] end)
check.eq(h[-1], "oops")
check.raises("oops", function() return h[-2] end)
local none, err, trace = h:join()
check.eq(none, nil)
check.eq(err, "oops")
check.eq(type(trace), "table")
check.eq(type(trace[1]), "string")

-- cancel: the timeout, then whether to force it
local linda = lanes.linda()
h = lanes.gen("*", function(l) l:receive "x" end)(linda)
require "lane".reaches(h, "waiting")
h:cancel()
require "lane".reaches(h, "cancelled")
gives(list(true), h:cancel())
check.eq(h[1], nil)
check.eq(h[0], true)
gives(list(), h:join())

-- the lane's own functions
gives(list(true, true, true, false, "nil"), lanes.gen("*", function()
    return set_finalizer ~= nil, cancel_test ~= nil, set_debug_threadname ~= nil, cancel_test(), type(lane_threadname)
end)():join())

check.done()
