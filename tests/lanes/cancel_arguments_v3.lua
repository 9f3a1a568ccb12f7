-- The arguments of cancel in Lanes 3.x
-- load: lanes.v3
local check = require "check"
local lanes = require "lanes".configure()
local list, gives = check.list, check.gives
local linda = lanes.linda()

local h = lanes.gen("*", function(l) l:receive "x" end)(linda)
require "lane".reaches(h, "waiting")
gives(list(false, "timeout"), h:cancel "soft")
gives(list(false, "timeout"), h:cancel("soft", 0))
h:cancel("soft", 10, true)
check.eq(h.status, "done")

-- hard by default, not waiting by default
h = lanes.gen("*", function(l) l:receive "x" end)(linda)
h:cancel()
require "lane".reaches(h, "cancelled")
gives(list(true, "cancelled"), h:cancel())
gives(list(true, "cancelled"), h:cancel(1, true, 1, "whatever comes"))
check.raises("invalid hook option foo", h.cancel, h, "foo")
check.raises("cancel timeout cannot be < 0", h.cancel, h, -1)
-- asked to be killed, a lane that can be woken is
h = lanes.gen("*", function(l) l:receive "x" end)(linda)
check.eq((h:cancel(10, true)), true)

check.done()
