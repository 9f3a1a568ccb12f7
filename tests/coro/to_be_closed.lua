-- Closing a suspended lane runs its to-be-closed variables, in the lane
-- needs: lua>=5.4
local check = require "check"
local lanes = require "lanes"

local l = lanes.linda()
local h = lanes.coro("*", function()
    local x <close> = setmetatable({}, { __close = function()
        require "lanes".sleep(0.3)
        l:send("closed", "yes")
    end })
    coroutine.yield("I yield!", 1)
end)()
repeat lanes.sleep(0.001) until h.status == "suspended"
local ok, why = h:join(0.05)
check.eq(ok, nil)
check.eq(why, "timeout")
check.is_true(h.status == "running" or h.status == "closing" or h.status == "waiting")
check.same({ h:join() }, { true, "I yield!", 1 })
check.eq(select(2, l:receive(0, "closed")), "yes")

-- An error in one is the lane's error.
local h = lanes.coro("*", function()
    local x <close> = setmetatable({}, { __close = function() error("on closing", 0) end })
    coroutine.yield()
end)()
local ok, err = h:join()
check.eq(ok, nil)
check.eq(err, "on closing")
check.done()
