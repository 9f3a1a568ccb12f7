-- set replaces what is in a slot, get looks at it
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local lane = require "lane"
local linda = lanes.linda()
local list, gives = check.list, check.gives

gives(list(0), linda:get "k")
gives(list(false, "under"), linda:set("k", 1))
gives(list(1, 1), linda:get "k")
gives(list(false, "under"), linda:set("k", 1, nil, 3))
gives(list(1, 1), linda:get "k")
gives(list(2, 1, nil), linda:get("k", 2))
gives(list(3, 1, nil, 3), linda:get("k", 3))
gives(list(3, 1, nil, 3), linda:get("k", 100))
check.eq(linda:count "k", 3)
-- one nil is a value, no value is none
linda:set("k", nil)
gives(list(1, nil), linda:get "k")
linda:set "k"
gives(list(0), linda:get "k")
check.eq(linda:count "k", nil, "a plain slot that was cleared is forgotten")

-- set heeds no limit, and says how full the slot is
linda:limit("k", 2)
gives(list(false, "under"), linda:set("k", 1))
gives(list(false, "exact"), linda:set("k", 1, 2))
gives(list(false, "over"), linda:set("k", 1, 2, 3))
gives(list(false, "exact"), linda:set("k", 1, 2))
gives(list(true, "under"), linda:set("k", 1))
linda:set("k", 1, 2)
gives(list(true, "under"), linda:set "k")
check.eq(linda:count "k", 0, "a slot with a limit stays known")
gives(list(2, "under"), linda:limit "k")

-- set wakes who waits for a value
local h = lanes.gen("*", function(l) return l:receive(10, "w") end)(linda)
lane.reaches(h, "waiting")
linda:set("w", "value")
gives(list(true, "w", "value"), h:join(10))

check.raises("count should be >= 1", linda.get, linda, "k", 0)
check.raises("count should be >= 1", linda.get, linda, "k", -1)
check.raises("number expected", linda.get, linda, "k", "x")
check.raises("too many arguments", linda.get, linda, "k", 1, 2)

check.done()
