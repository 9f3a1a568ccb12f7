-- A metatable arrives once in each state and is shared from then on
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

local class = { kind = "class" }
class.__index = class
function class.name(self) return self.kind .. " " .. self.n end
local a, b = setmetatable({ n = 1 }, class), setmetatable({ n = 2 }, class)

-- what comes home has its original metatable
linda:send("k", a, b)
linda:send("k", a)
local _, x, y, z = linda:receive_batched("k", 3)
check.is_true(getmetatable(x) == class and getmetatable(y) == class and getmetatable(z) == class)
check.eq(x:name(), "class 1")

-- in a lane all copies share one, whatever way they come: argument, upvalue, linda
linda:send("k", a)
linda:send("k", { b })
local ok, same, name, back = lanes.gen("*", function(l, p)
    local _, q = l:receive "k"
    local _, r = l:receive "k"
    local m = getmetatable(p)
    return m == getmetatable(q) and m == getmetatable(r[1]) and m == getmetatable(a), r[1]:name(), r[1]
end)(linda, b):join()
check.is_true(ok, same)
check.is_true(same)
check.eq(name, "class 2")
check.is_true(getmetatable(back) == class)

-- inherited classes: the chain is one transfer
local base = { hello = function() return "hello" end }
base.__index = base
local derived = setmetatable({}, base)
derived.__index = derived
local object = setmetatable({}, derived)
local ok, text, chain = lanes.gen("*", function(o)
    return o.hello(), getmetatable(getmetatable(o)) ~= nil
end)(object):join()
check.is_true(ok, text)
check.eq(text, "hello")
check.eq(chain, true)

-- a metatable that is its own, and one that is hidden
local self = {}
setmetatable(self, self)
linda:send("k", self)
local _, got = linda:receive "k"
check.is_true(getmetatable(got) == self)
local hidden = setmetatable({}, { __metatable = "hidden", __index = function(_, k) return k .. "!" end })
local ok, shown, field = lanes.gen("*", function(t) return getmetatable(t), t.x end)(hidden):join()
check.is_true(ok, shown)
check.eq(shown, "hidden")
check.eq(field, "x!")

-- operators work on the other side
local number = {}
number.__add = function(p, q) return setmetatable({ v = p.v + q.v }, getmetatable(p)) end
number.__eq = function(p, q) return p.v == q.v end
local ok, sum, equal = lanes.gen("*", function(p, q) return p + q, p == q end)(
    setmetatable({ v = 1 }, number), setmetatable({ v = 1 }, number)):join()
check.is_true(ok, sum)
check.eq(sum.v, 2)
check.eq(equal, true)
check.is_true(getmetatable(sum) == number)

-- __gc and __mode are fields as others
local weak = setmetatable({}, { __mode = "k" })
linda:send("k", weak)
check.eq(getmetatable(select(2, linda:receive "k")).__mode, "k")

check.done()
