-- Tables are copied whole: nested, shared, cyclic, with holes, raw
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
local echo = lanes.gen("*", function(...) return ... end)

local function both(what, t)
    linda:send("k", t)
    local _, got = linda:receive "k"
    check.is_true(got ~= t, "a copy")
    what(got, "linda")
    local _, through = echo(t):join()
    what(through, "lane")
end

for _, t in ipairs {
    {}, { 1 }, { 1, 2, 3 }, { a = 1 }, { 1, 2, a = 3, b = { 4 } }, { { { { {} } } } }, { [1.5] = 1, [-1] = 2, [0] = 3 },
    { [true] = 1, [false] = 2 }, { nil, 2 }, { 1, nil, 3 }, { 1, nil, nil, nil, 5 }, { [10] = 1 }, { [1] = 1, [1e15] = 2 },
    { [2 ^ 40] = 1 }, { [""] = "" }, { n = 0, ["a b"] = { ["c\0d"] = "e" } },
} do
    both(function(got) check.same(got, t) end, t)
end

-- sharing and cycles
local shared = { "shared" }
both(function(got)
    check.is_true(got.a == got.b and got.a == got.c.d and got.a[1] == "shared")
end, { a = shared, b = shared, c = { d = shared } })
local loop = { name = "loop" }
loop.self, loop.list = loop, { loop, { loop } }
both(function(got)
    check.is_true(got.self == got and got.list[1] == got and got.list[2][1] == got)
end, loop)
local a, b = {}, {}
a.b, b.a = b, a
both(function(got) check.is_true(got[1].b == got[2] and got[2].a == got[1]) end, { a, b })

-- one send is one transfer; two are two
shared.text = "long enough not to be kept inside the record of the message itself"
linda:send("k", shared, shared)
linda:send("k", shared)
local _, x, y, z = linda:receive_batched("k", 3)
check.is_true(x == y and x ~= z)
-- arguments share among themselves, upvalues among themselves, results too
local ok, in_args, in_upvalues, mixed, p, q = lanes.gen("*", function(m, n)
    return m == n, (function() return shared end)() == shared, shared == m, m, { m }
end)(shared, shared):join()
check.is_true(ok and in_args and in_upvalues)
check.eq(mixed, false)
check.is_true(q[1] == p)

-- metamethods have no say
local odd = setmetatable({ "real" }, {
    __index = function() return "false index" end,
    __len = function() return 99 end,
    __pairs = function() return function() end end,
})
both(function(got)
    check.eq(rawget(got, 1), "real")
    check.eq(rawget(got, 2), nil)
end, odd)

-- the original can change afterwards
local t = { 1 }
linda:send("k", t)
t[1] = 2
check.same(select(2, linda:receive "k"), { 1 })

check.done()
