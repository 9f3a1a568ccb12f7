-- Counts: of one slot, of several, of all
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
local list, gives = check.list, check.gives

gives(list(), linda:count "k")
check.same(linda:count(), {})
check.same(linda:count("a", "b"), {})
linda:send("a", 1, 2)
linda:send(nil, 1, nil)
linda:set(true, 1, 2, 3)
gives(list(2), linda:count "a")
gives(list(1), linda:count(1))
check.same(linda:count("a", "b", true), { a = 2, [true] = 3 })
check.same(linda:count(), { a = 2, [1] = 1, [true] = 3 })
linda:receive "a"
linda:receive "a"
gives(list(0), linda:count "a")
linda:set "a"
gives(list(), linda:count "a")
-- a limit makes a slot known
linda:limit("limited", 5)
gives(list(0), linda:count "limited")
-- a receive or a get that finds nothing does not
linda:receive(0, "x")
linda:get "y"
gives(list(), linda:count "x")
gives(list(), linda:count "y")

check.done()
