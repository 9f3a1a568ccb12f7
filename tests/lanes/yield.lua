-- Yielding outside a coroutine is Lua's own error; coroutines inside a lane work
local check = require "check"
local lanes = require "lanes"

local text = jit and "attempt to yield across C-call boundary"
    or _VERSION == "Lua 5.1" and "attempt to yield across metamethod/C-call boundary"
    or "attempt to yield from outside a coroutine"
local ok, err = lanes.gen("*", function() coroutine.yield(1) end)():join()
check.eq(ok, nil)
check.is_true(err:find(text, 1, true), err)

local linda = lanes.linda()
check.gives(check.list(true, 1, "k", 2, "ended"), lanes.gen("*", function(l)
    local co = coroutine.wrap(function()
        coroutine.yield(1)
        l:send("k", 2)
        coroutine.yield(l:receive "k")
        return "ended"
    end)
    local a = co()
    local key, b = co()
    return a, key, b, co()
end)(linda):join())

check.done()
