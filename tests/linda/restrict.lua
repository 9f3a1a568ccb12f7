-- A restricted slot is for send and receive only, or for set and get only
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local lane = require "lane"
local linda = lanes.linda()
local list, gives = check.list, check.gives

gives(list "none", linda:restrict "k")
gives(list "none", linda:restrict("k", "set/get"))
gives(list "set/get", linda:restrict "k")
linda:set("k", 1)
gives(list(1, 1), linda:get "k")
check.raises("Key is restricted", linda.send, linda, "k", 2)
check.raises("Key is restricted", linda.receive, linda, 0, "k")
check.raises("Key is restricted", linda.receive_batched, linda, 0, "k", 1)
-- it is told when the scan comes to it
linda:send("free", 1)
gives(list("free", 1), linda:receive(0, "free", "k"))
check.raises("Key is restricted", linda.receive, linda, 0, "free", "k")

gives(list "set/get", linda:restrict("k", "send/receive"))
check.raises("Key is restricted", linda.set, linda, "k", 2)
check.raises("Key is restricted", linda.get, linda, "k")
gives(list(true), linda:send("k", 2))
gives(list("k", 1), linda:receive "k")

-- limit, count and dump are always allowed; clearing keeps the mode
linda:limit("k", 5)
check.eq(linda:count "k", 1)
check.eq(linda:dump().k.restrict, "send/receive")
linda:receive "k"
gives(list "send/receive", linda:restrict "k")
gives(list "send/receive", linda:restrict("k", "none"))
gives(list "none", linda:restrict "k")

-- who waits is told when the slot becomes restricted
local h = lanes.gen("*", function(l) return l:receive(10, "later") end)(linda)
lane.reaches(h, "waiting")
linda:restrict("later", "set/get")
local ok, err = h:join(10)
check.eq(ok, nil)
check.is_true(tostring(err):find("Key is restricted", 1, true), tostring(err))

check.raises("unknown restrict mode", linda.restrict, linda, "k", "x")
check.raises("unknown restrict mode", linda.restrict, linda, "k", {})
check.raises("unknown restrict mode", linda.restrict, linda, "k", nil)
check.raises("wrong number of arguments", linda.restrict, linda, "k", "none", 1)
gives(list "none", linda:restrict "k")

check.done()
