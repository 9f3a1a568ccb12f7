-- A send goes in whole or not at all
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
local list, gives = check.list, check.gives

linda:limit("k", 3)
gives(list(true), linda:send(0, "k", 1, 2))
gives(list(nil, "timeout"), linda:send(0, "k", 3, 4))
check.eq(linda:count "k", 2)
gives(list(true), linda:send(0, "k", 3))
gives(list(nil, "timeout"), linda:send(0, "k", 4))
-- more than the limit never fits
linda:set "k"
gives(list(nil, "timeout"), linda:send(0.01, "k", 1, 2, 3, 4))
check.eq(linda:count "k", 0)
-- an overfull slot takes nothing until there is room
linda:set("k", 1, 2, 3, 4, 5)
gives(list(nil, "timeout"), linda:send(0, "k", 6))
linda:receive_batched("k", 2)
gives(list(nil, "timeout"), linda:send(0, "k", 6))
linda:receive "k"
gives(list(true), linda:send(0, "k", 6))
gives(list("k", 4, 5, 6), linda:receive_batched(0, "k", 1, 9))

-- nothing to send
check.raises("no data to send", linda.send, linda, "k")
check.raises("no data to send", linda.send, linda, 0, "k")
-- nil is something
gives(list(true), linda:send("k", nil))
gives(list("k", nil), linda:receive(0, "k"))

-- a value that cannot travel keeps the others from going
check.raises("argument 3: a coroutine", linda.send, linda, "k", "good", coroutine.create(function() end), "good")
check.eq(linda:count "k", 0)
check.raises("coroutine", linda.set, linda, "k", "good", coroutine.create(function() end))
check.eq(linda:count "k", 0)

check.done()
