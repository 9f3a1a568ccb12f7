-- Cancelling a linda wakes who waits, and can be taken back
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local lane = require "lane"
local list, gives = check.list, check.gives

for _, hint in ipairs { "both", "read", "write", false } do
    local linda = lanes.linda()
    linda:limit("full", 0)
    linda:send("kept", "value")
    local reader = lanes.gen("*", function(l) return l:receive(10, "x") end)(linda)
    local batch = lanes.gen("*", function(l) return l:receive_batched(10, "x", 2) end)(linda)
    local writer = lanes.gen("*", function(l) return l:send(10, "full", 1) end)(linda)
    for _, h in ipairs { reader, batch, writer } do
        lane.reaches(h, "waiting")
    end
    check.eq(linda.status, "active")
    if hint then
        gives(list(), linda:cancel(hint))
    else
        gives(list(), linda:cancel())
    end
    check.eq(linda.status, "cancelled")
    local cancelled = list(true, nil, lanes.cancel_error)
    if hint ~= "write" then
        gives(cancelled, reader:join(5))
        gives(cancelled, batch:join(5))
    end
    if hint ~= "read" then
        gives(cancelled, writer:join(5))
    end
    -- those who were not named still wait, but are woken by another call
    linda:cancel "both"
    for _, h in ipairs { reader, batch, writer } do
        gives(cancelled, h:join(5))
    end
    gives(list(), linda:cancel "none")
    check.eq(linda.status, "active")
    gives(list(1, "value"), linda:get "kept")
    gives(list(0, "exact"), linda:limit "full")
end

local linda = lanes.linda()
check.raises("unknown wake hint 'x'", linda.cancel, linda, "x")
check.eq(linda.status, "active", "a bad hint changes nothing")
check.raises("wrong number of arguments", linda.cancel, linda, "both", 1)
linda:cancel()
check.raises("unknown wake hint 'x'", linda.cancel, linda, "x")
check.eq(linda.status, "cancelled")

-- a call that waits is not given what was there before: the cancellation comes first
linda:cancel "none"
linda:send("k", 1)
linda:cancel()
gives(list(nil, lanes.cancel_error), linda:receive(0, "k"))
gives(list(nil, lanes.cancel_error), linda:send(0, "k", 2))
linda:cancel "none"
check.eq(linda:count "k", 1)

check.done()
