-- Locks of genlock: mutual exclusion, counting, trying, cancellation
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
local list, gives = check.list, check.gives

local lock = lanes.genlock(linda, "lock")
gives(list(true), lock(1))
gives(list(false), lock(1, "try"))
gives(list(true), lock(-1))
gives(list(true), lock(1, "try"))
gives(list(true), lock(-1))

-- N tokens, all or none
lock = lanes.genlock(linda, "count", 3)
gives(list(true), lock(2))
gives(list(false, "timeout"), (function()
    local a, b = lock(2, "try")
    return a or false, b -- nil or false
end)())
gives(list(true), lock(1))
gives(list(true), lock(-3))

-- between lanes: never two inside
lanes.genlock(linda, "mutex")
local handles = {}
for i = 1, 4 do
    handles[i] = lanes.gen("*", function(l)
        local lanes = require "lanes"
        -- building it anew would reset it: the lock is the slot
        for _ = 1, 100 do
            l:send("mutex", true)
            local _, inside = l:get "inside"
            if inside then error "two inside" end
            l:set("inside", true)
            l:receive(0, "nothing")
            l:set("inside", false)
            l:receive "mutex"
        end
    end)(linda)
end
for _, h in ipairs(handles) do gives(list(true), h:join(30)) end
-- a lock goes to a lane as a function
local lock = lanes.genlock(linda, "shared")
lock(1)
local h = lanes.gen("*", function(lock) local a = lock(1, "try") lock(1) lock(-1) return a end)(lock)
require "lane".reaches(h, "waiting")
lock(-1)
gives(list(true, false), h:join(10))

-- cancellation
linda:cancel()
gives(list(lanes.cancel_error), lock(1))
gives(list(lanes.cancel_error), lock(-1))
gives(list(lanes.cancel_error), lanes.genlock(linda, "x"))
linda:cancel "none"
check.raises("expecting a Linda", lanes.genlock, {}, "x")
check.raises("number expected", lock, "x")

check.done()
