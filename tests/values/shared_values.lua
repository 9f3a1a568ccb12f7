-- Values of one send that share a table or a variable share it on arrival, however small they are
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

-- a small table
local t = {}
linda:send("k", t, t)
linda:send("k", t)
local _, x, y, z = linda:receive_batched("k", 3)
check.is_true(x == y)
check.is_true(x ~= z)
linda:send("k", t, t)
local _, x, y = linda:get("k", 2)
check.is_true(x == y)

-- a small function
local function f() end
linda:set("k", f, 1, f)
local _, g, one, h = linda:receive_batched("k", 3)
check.is_true(g == h and one == 1)

-- a variable
if (jit and jit.version) or _VERSION ~= "Lua 5.1" then
    local n = 0
    linda:send("k", function() n = n + 1 end, function() return n end)
    local _, up, read = linda:receive_batched("k", 2)
    up()
    up()
    check.eq(read(), 2)
end

check.done()
