-- Scalars travel unchanged: through lindas, as arguments, as results, as upvalues
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

local echo = lanes.gen("*", function(...) return ... end)
local values = check.list(
    nil, true, false, 0, 1, -1, 1.5, 1e308, 5e-324, math.huge, -math.huge, 2 ^ 53, 2 ^ 53 + 2, 0.1, -0.0, "", "a",
    "0", ("x"):rep(14), ("x"):rep(15), ("x"):rep(16), ("x"):rep(255), ("x"):rep(256), ("x"):rep(70000), nil
)
local function as_was(got, want, what)
    check.eq(got, want, what)
    if want == 0 then
        check.eq(tostring(1 / got), tostring(1 / want), "the sign of zero")
    end
end
local unpack = table.unpack or unpack
local results = check.list(select(2, echo(unpack(values, 1, values.n)):join()))
check.eq(results.n, values.n)
for i = 1, values.n do
    local v = values[i]
    as_was(results[i], v, "result")
    linda:send("k", v)
    local key, got = linda:receive(0, "k")
    check.eq(key, "k")
    as_was(got, v, "received")
    local _, upvalue = lanes.gen("*", function() return v end)():join()
    as_was(upvalue, v, "upvalue")
    linda:send("k", v, { v }, v)
    local _, a, t, b = linda:receive_batched("k", 3)
    as_was(a, v)
    as_was(t[1], v)
    as_was(b, v)
end
-- NaN
linda:send("k", 0 / 0, { 0 / 0 })
local _, nan, t = linda:receive_batched("k", 2)
check.is_true(nan ~= nan and t[1] ~= t[1])

check.done()
