-- cancel_test tells what was asked for
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local list, gives = check.list, check.gives
local linda = lanes.linda()

gives(list(true, false, false, 1), lanes.gen("*", function()
    return cancel_test(), cancel_test(true), select("#", cancel_test(1, 2, 3))
end)():join())

local function body(l)
    l:send("started", true)
    while not cancel_test(true) do end
    local ok, err = pcall(cancel_test)
    return cancel_test(true), ok, err
end
local h = lanes.gen("*", body)(linda)
linda:receive(10, "started")
h:cancel("soft", 0)
gives(list(true, "soft", true, "soft"), h:join())
h = lanes.gen("*", body)(linda)
linda:receive(10, "started")
h:cancel("hard", 0)
gives(list(true, "hard", false, lanes.cancel_error), h:join())
check.eq(h.status, "done", "the body caught it and returned")

-- one that lets it through is cancelled
h = lanes.gen("*", function(l) l:send("started", true) while true do cancel_test() end end)(linda)
linda:receive(10, "started")
gives(list(true, "cancelled"), h:cancel("hard", 10))
gives(list(nil, lanes.cancel_error), h:join())

-- a request can rise from soft to hard, and never falls
h = lanes.gen("*", function(l)
    l:send("started", true)
    while cancel_test(true) ~= "hard" do end
    return cancel_test(true)
end)(linda)
linda:receive(10, "started")
gives(list(false, "timeout"), h:cancel("soft", 0))
gives(list(false, "timeout"), h:cancel("soft", 0.02))
h:cancel("hard", 0)
gives(list(true, "hard"), h:join(10))

-- a request made before the lane gets to its first check counts
h = lanes.gen("*", function(l) return l:receive(20, "x") end)(linda)
h:cancel("soft", 0)
gives(list(true, nil, lanes.cancel_error), h:join(10))

check.done()
