-- receive_batched waits for the smallest number and takes up to the largest
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local lane = require "lane"
local linda = lanes.linda()
local list, gives = check.list, check.gives

linda:send("k", 1, 2, 3, 4, 5)
gives(list("k", 1), linda:receive_batched("k", 1))
gives(list("k", 2, 3), linda:receive_batched(0, "k", 2, 2))
gives(list("k", 4, 5), linda:receive_batched(0, "k", 1, 10))
linda:send("k", 1, 2)
gives(list(nil, "timeout"), linda:receive_batched(0.01, "k", 3, 10))
check.eq(linda:count "k", 2, "nothing was taken")

local h = lanes.gen("*", function(l) return l:receive_batched(10, "k", 4, 6) end)(linda)
lane.reaches(h, "waiting")
linda:send("k", 3)
gives(list(nil, "timeout"), h:join(0.05))
linda:send("k", 4)
gives(list(true, "k", 1, 2, 3, 4), h:join(10))

-- what two values of one send share is shared by those received together
local shared = { "shared" }
linda:send("k", { shared }, shared)
local _, a, b = linda:receive_batched("k", 2)
check.is_true(a[1] == b, "shared")
check.is_true(b ~= shared, "copied")
-- the same for get
linda:send("k", { shared }, shared)
local n, c, d = linda:get("k", 2)
check.eq(n, 2)
check.is_true(c[1] == d)

check.raises("number expected, got no value", linda.receive_batched, linda, "k")
check.raises("number expected", linda.receive_batched, linda, "k", "x")
check.raises("bad min count", linda.receive_batched, linda, "k", 0)
check.raises("bad min count", linda.receive_batched, linda, "k", -1)
check.raises("batched min/max error", linda.receive_batched, linda, "k", 2, 1)
check.eq(linda:count "k", 2)

check.done()
