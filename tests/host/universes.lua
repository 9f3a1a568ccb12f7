-- Several universes in one process: closed in every order, beside each other, on other threads
-- host: yes
-- args: orders 24
-- args: beside 20
-- args: together 8
-- args: threads 20
-- args: reload 20
-- valgrind: leaks
local number = ...
local lanes = require "lanes"
-- Every lane here ends when it is asked to: the time is for slow machines.
lanes.configure { shutdown_timeout = 20, with_timers = number == 2 }
local linda = lanes.linda { name = "shared by the lanes of universe " .. number }
linda:limit("narrow", 1)

-- Lanes that are blocked in all ways when the universe closes.
linda:send("narrow", 0)
local blocked = {
    lanes.gen("*", function(l) l:receive("nothing comes") end)(linda),
    lanes.gen("*", function(l) l:send("narrow", { 1, { l } }) end)(linda),
    lanes.gen("*", function() require "lanes".sleep() end)(),
}
if number == 2 then lanes.timer(linda, "tick", 0.001, 0.001) end
-- One that ends its waiting for another lane.
blocked[#blocked + 1] = lanes.gen("*", function(l)
    require "lanes".gen("*", function(l) l:receive("nothing comes") end)(l):join()
end)(linda)
-- And one that is never idle.
local echo = lanes.gen("*", { name = "echo" }, function(l)
    set_finalizer(function() l:set("finalized", true) end)
    while not cancel_test() do
        local key, value = l:receive(0.01, "ask")
        if key then l:send("answer", value, tostring(value)) end
    end
end)(linda)

local count = 0
return function()
    count = count + 1
    local sent = { number = number, count = count, text = ("x"):rep(100), linda = linda }
    linda:send("ask", sent)
    local _, got, text = linda:receive_batched(30, "answer", 2)
    assert(got and got.number == number and got.count == count and got.linda == linda)
    assert(type(text) == "string")
    local short = lanes.gen("*", function(l, n)
        l:send("sum", n)
        return n + 1, { n }
    end)(linda, count)
    -- Some handles are dropped, some joined.
    if count % 2 == 0 then
        local ok, n, t = short:join(30)
        assert(ok and n == count + 1 and t[1] == count)
    end
    local _, n = linda:receive(30, "sum")
    assert(n == count)
    for _, h in ipairs(blocked) do assert(h.status ~= "error" and h.status ~= "done", h.status) end
    assert(echo.status ~= "error" and echo.status ~= "done", echo.status)
end
