-- Cancel requests for a suspended lane: soft ones wake it on request, hard ones are raised at the yield
local check = require "check"
local lanes = require "lanes"

local function suspended(h)
    repeat lanes.sleep(0.001) until h.status == "suspended"
    return h
end

local soft = lanes.coro("*", function()
    repeat coroutine.yield() until cancel_test()
    return "saw it"
end)
local h = suspended(soft())
check.same({ h:cancel("soft", 0.05) }, { false, "timeout" })
check.eq(h.status, "suspended")
check.same({ h:cancel("soft", 5, true) }, { true, "done" })
check.eq(h[1], "saw it")

-- A loop that yields without ever looking is left at the yield.
local h = suspended(lanes.coro("*", function() while true do coroutine.yield() end end)())
check.same({ h:cancel("hard", 5) }, { true, "cancelled" })
check.eq(h[2], lanes.cancel_error)

-- Also one that swallows the error. In 5.1 there is no yield from a pcall.
if _VERSION ~= "Lua 5.1" or jit then
    local h = suspended(lanes.coro("*", function()
        while true do pcall(coroutine.yield) end
    end)())
    check.same({ h:cancel("hard", 5) }, { true, "cancelled" })
end
check.done()
