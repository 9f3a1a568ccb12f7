-- join and reads close a suspended lane; its last yield is the result
local check = require "check"
local lanes = require "lanes"

local function spin(h, status)
    local deadline = lanes.now_secs() + 10
    repeat lanes.sleep(0.001) until h.status == status or lanes.now_secs() > deadline
    check.eq(h.status, status)
end

local coro = lanes.coro("*", function(...) coroutine.yield(...); return "not reached" end)
local h = coro("a", "b")
spin(h, "suspended")
check.eq(h[2], "b")
check.eq(h.status, "done")
check.eq(h[0], 2)
check.eq(h[1], "a")
check.eq(select(2, pcall(h.resume, h)), "cannot resume non-suspended coroutine Lane")

local h = coro("c")
check.same({ h:join(5) }, { true, "c" })
check.same({ h:join() }, { true, "c" })

-- Finalizers run when it is closed.
local l = lanes.linda()
local h = lanes.coro("*", function()
    set_finalizer(function(err) l:send("final", tostring(err)) end)
    coroutine.yield(1)
end)()
spin(h, "suspended")
check.eq(l:count "final", nil)
check.eq(h[1], 1)
check.eq(select(2, l:receive(5, "final")), "nil")
check.done()
