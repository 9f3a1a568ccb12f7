-- Limits: what setting one answers, reading and refusals
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
local list, gives = check.list, check.gives

gives(list("unlimited", "under"), linda:limit "k")
check.eq(linda:count "k", nil, "reading makes no slot")
gives(list(false, "under"), linda:limit("k", 3))
gives(list(3, "under"), linda:limit "k")
linda:send("k", 1, 2, 3)
gives(list(3, "exact"), linda:limit "k")
gives(list(false, "over"), linda:limit("k", 2))
gives(list(2, "over"), linda:limit "k")
gives(list(false, "exact"), linda:limit("k", 3))
gives(list(true, "under"), linda:limit("k", 4))
gives(list(false, "under"), linda:limit("k", 5))
gives(list(false, "over"), linda:limit("k", 1))
gives(list(true, "under"), linda:limit("k", "unlimited"))
gives(list("unlimited", "under"), linda:limit "k")
gives(list(false, "exact"), linda:limit("zero", 0))
gives(list(0, "exact"), linda:limit "zero")

check.raises("limit must be >= 0", linda.limit, linda, "k", -1)
check.raises("number expected", linda.limit, linda, "k", "lots")
check.raises("number expected", linda.limit, linda, "k", nil)
check.raises("number expected", linda.limit, linda, "k", {})
check.raises("wrong number of arguments", linda.limit, linda, "k", 1, 2)
check.raises("integer representation", linda.limit, linda, "k", 1.5)
gives(list("unlimited", "under"), linda:limit "k")
gives(list(false, "under"), linda:limit("k", 2 ^ 40))

check.done()
