-- The status of a lane: running, waiting, and how it ended
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local lane = require "lane"
local linda = lanes.linda()
linda:limit("full", 0)

local early = lanes.gen("*", function() return 1 end)()
check.is_true(({ pending = true, running = true, done = true })[early.status], early.status)
early:join()
check.eq(early.status, "done")

for what, body in pairs {
    receive = function(l) l:receive "x" end,
    ["timed receive"] = function(l) l:receive(100, "x") end,
    batch = function(l) l:receive_batched("x", 2) end,
    send = function(l) l:send("full", 1) end,
    sleep = function() require "lanes".sleep(100) end,
    ["sleep for ever"] = function() require "lanes".sleep() end,
} do
    local h = lanes.gen("*", body)(linda)
    lane.reaches(h, "waiting")
    h:cancel()
    check.eq(h.status, "cancelled", what)
end

-- waiting ends when the call does
local h = lanes.gen("*", function(l)
    l:receive "go"
    l:send("gone", true)
    local i = 0
    while cancel_test() ~= "soft" do i = i + 1 end
end)(linda)
lane.reaches(h, "waiting")
linda:send("go", true)
linda:receive(10, "gone")
lane.reaches(h, "running")
h:cancel("soft")
check.eq(h.status, "done", "the lane noticed the request and returned")

-- it never changes after the end
h = lanes.gen("*", function() error "x" end)()
h:join()
check.eq(h.status, "error")
h:cancel()
check.eq(h.status, "error")
h = lanes.gen("*", function() end)()
h:join()
h:cancel()
check.eq(h.status, "done")

check.done()
