-- Timeouts: 0 polls, nil and huge ones are for ever, negative ones and NaN are errors
local check = require "check"
local lanes = require "lanes"
local lane = require "lane"
local linda = lanes.linda()
local list, gives = check.list, check.gives
linda:limit("full", 0)

-- a call that times out is never early; "late" is bounded loosely, for busy machines
local function takes(seconds, f, ...)
    local before = lanes.now_secs()
    gives(list(nil, "timeout"), f(...))
    local took = lanes.now_secs() - before
    check.is_true(took >= seconds - 0.0005, "early: " .. took .. " instead of " .. seconds)
    check.is_true(took < seconds + 1, "late: " .. took .. " instead of " .. seconds)
end
for _, seconds in ipairs { 0, 0.001, 0.05, 0.2 } do
    takes(seconds, linda.receive, linda, seconds, "x")
    takes(seconds, linda.receive, linda, seconds, "x", "y", "z")
    takes(seconds, linda.receive_batched, linda, seconds, "x", 2)
    takes(seconds, linda.send, linda, seconds, "full", 1)
    takes(seconds, lanes.sleep, seconds)
end
takes(0, linda.receive, linda, -0.0, "x")
takes(0, linda.receive, linda, 5e-324, "x")

-- what is there already is taken whatever the timeout
for _, timeout in ipairs { 0, 1e-9, 1e20, 1.7e308, math.huge } do
    linda:send(timeout, "x", 1)
    gives(list("x", 1), linda:receive(timeout, "x"))
end

-- for ever is long enough
for _, timeout in ipairs { 1e9, 1e20, math.huge, false } do
    local h = lanes.gen("*", function(l, t) return l:receive(t or nil, "late") end)(linda, timeout)
    lane.reaches(h, "waiting")
    gives(list(nil, "timeout"), h:join(0.05))
    linda:send("late", 1)
    gives(list(true, "late", 1), h:join(10))
end

for _, bad in ipairs { -1, -1e-9, -math.huge } do
    check.raises("duration cannot be < 0", linda.receive, linda, bad, "x")
    check.raises("duration cannot be < 0", linda.send, linda, bad, "x", 1)
    check.raises("duration cannot be < 0", linda.receive_batched, linda, bad, "x", 1)
    check.raises("duration must be >= 0", lanes.sleep, bad)
end
check.raises("bad argument #1 to 'receive'", function() linda:receive(-1, "x") end)
for _, f in ipairs { linda.receive, linda.send, linda.receive_batched } do
    check.raises("NaN", f, linda, 0 / 0, "x", 1)
end
check.raises("NaN", lanes.sleep, 0 / 0)
-- a failed call leaves nothing behind
check.same(linda:count(), { full = 0, x = 0, late = 0 })

check.done()
