-- The marker for batches in Lanes 3.x
-- load: lanes.v3
local check = require "check"
local lanes = require "lanes".configure()
local linda = lanes.linda()
local list, gives = check.list, check.gives

linda:send("k", 1, 2, 3, 4, 5)
gives(list("k", 1), linda:receive(linda.batched, "k", 1))
gives(list("k", 2, 3), linda:receive(0, linda.batched, "k", 2, 2))
gives(list("k", 4, 5), linda:receive(0, linda.batched, "k", 1, 10))
gives(list(), linda:receive(0, linda.batched, "k", 1))
check.raises("batched min/max error", linda.receive, linda, 0, linda.batched, "k", 2, 1)

-- one nil is sent with the null form
gives(list(true), linda:send(linda.null, "k"))
gives(list(true), linda:send(0, linda.null, "k"))
gives(list("k", nil), linda:receive(0, "k"))
gives(list("k", nil), linda:receive(0, "k"))
-- null itself arrives as nil
linda:send("k", linda.null, 1)
gives(list("k", nil, 1), linda:receive(0, linda.batched, "k", 2))

check.done()
