-- Cancelling lanes softly and hard: who notices, what wakes, what is answered
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local lane = require "lane"
local list, gives = check.list, check.gives
local linda = lanes.linda()
linda:limit("full", 0)
local ce = lanes.cancel_error

local calls = {
    receive = function(l) return l:receive(20, "x") end,
    ["receive of several"] = function(l) return l:receive(20, "x", "y") end,
    batch = function(l) return l:receive_batched(20, "x", 2) end,
    send = function(l) return l:send(20, "full", 1) end,
    ["send for ever"] = function(l) return l:send("full", 1) end,
    sleep = function() return require "lanes".sleep(20) end,
}
for what, body in pairs(calls) do
    -- soft, with waking: the call returns it
    local h = lanes.gen("*", body)(linda)
    lane.reaches(h, "waiting")
    gives(list(true, "done"), h:cancel("soft", 10, true))
    gives(list(true, nil, ce), h:join(0))
    -- soft, without: nothing happens
    h = lanes.gen("*", body)(linda)
    lane.reaches(h, "waiting")
    gives(list(false, "timeout"), h:cancel("soft", 0.02))
    gives(list(false, "timeout"), h:cancel("soft", 0, false))
    check.eq(h.status, "waiting", what)
    -- hard wakes by itself, and raises
    gives(list(true, "cancelled"), h:cancel("hard", 10))
    gives(list(nil, ce), h:join(0))
    -- hard is what cancel means, and it waits for the end
    h = lanes.gen("*", body)(linda)
    lane.reaches(h, "waiting")
    gives(list(true, "cancelled"), h:cancel())
    -- hard without waking: noticed only at the end of the wait
    h = lanes.gen("*", body)(linda)
    lane.reaches(h, "waiting")
    gives(list(false, "timeout"), h:cancel("hard", 0.02, false))
    check.eq(h.status, "waiting", what)
    gives(list(true, "cancelled"), h:cancel("hard", 10, true))
end

-- what does not block goes on after a soft request: set, get, count, limit
local h = lanes.gen("*", function(l)
    l:send("started", true)
    while not cancel_test(true) do end
    l:set("state", 1)
    return l:get "state", l:count "state"
end)(linda)
linda:receive(10, "started")
h:cancel("soft", 0)
gives(list(true, 1, 1), h:join(10))

-- the sentinel is an ordinary error value: it can be caught, and thrown again
h = lanes.gen("*", function(l)
    local ok, err = pcall(l.receive, l, "x")
    if not ok and err == require "lanes".cancel_error then error(err) end
end)(linda)
lane.reaches(h, "waiting")
gives(list(true, "cancelled"), h:cancel())
h = lanes.gen("*", function() error(require "lanes".cancel_error) end)()
gives(list(nil, ce), h:join())
check.eq(h.status, "cancelled")

-- thousands of requests race with the start of the wait
for i = 1, 300 do
    local h = lanes.gen(function(l) l:receive "x" end)(linda)
    local ok, status = h:cancel("hard", 10)
    if not (ok and status == "cancelled") then error("round " .. i .. ": " .. tostring(status)) end
end

check.done()
