-- a C module offers shared and clonable types through lanes.h
-- needs: module:counter
-- valgrind: yes

local check = require "check"
local lanes = require "lanes"
local counter = require "counter"
local function collect() for _ = 1, 3 do collectgarbage() end end

-- shared: one object, one proxy per state
local linda = lanes.linda()
local c = counter.new(5)
check.eq(c:references(), 1)
linda:send("k", c, { c })
check.eq(c:references() > 1, true, "a message holds it")
local _, same, t = linda:receive_batched("k", 2)
check.eq(same, c)
check.eq(t[1], c)
check.eq(c:references(), 1)
local h = lanes.gen("*", function(c, n) for _ = 1, n do c:add(1) end return c end)
local hs = {}
for i = 1, 4 do hs[i] = h(c, 1000) end
for i = 1, 4 do check.eq(hs[i][1], c) end
check.eq(c:get(), 4005)
check.eq(#c, 4005)

-- as a key, also of a linda
linda:send(c, "by object")
check.eq(select(2, linda:receive(0, c)), "by object")
local _, keyed = linda:send("k", { [c] = 1 }), select(2, linda:receive("k"))
check.eq(keyed[c], 1)

-- user values go to states that have no proxy yet
c:tag({ note = "hello" })
check.eq(lanes.gen("*", function(c) return c:tag().note end)(c)[1], "hello")
linda:send("k", c)
check.eq(select(2, linda:receive("k")):tag().note, "hello")

-- destroyed when the last reference goes
hs, h, c, same, t, keyed = nil, nil, nil, nil, nil, nil
collect()
check.eq(counter.live(), 0)
linda:send("kept", counter.new(1))
collect()
check.eq(counter.live(), 1, "the linda keeps it")
linda:set("kept")
collect()
check.eq(counter.live(), 0)

-- without the package library the module cannot be loaded there
check.raises("should register the 'package' library", lanes.gen("base", function(c) return c end), counter.new(1))
-- another type, or none at all
check.raises("counter expected", counter.new(1).add, linda, 1)
check.raises("counter expected", counter.new(1).add, 42, 1)

-- cloned: every side has its own
local p = counter.point(1, 2)
linda:send("k", p, { p, p })
local _, q, both = linda:receive_batched("k", 2)
check.eq(q ~= p and both[1] ~= p, true)
check.eq(both[1], both[2], "one clone in one transfer")
check.eq(q:xy(), 1)
check.eq(getmetatable(q), getmetatable(p))
check.eq(lanes.gen("*", { required = { "counter" } }, function(p) return (select(2, p:xy())) end)(p)[1], 2)
linda:set("k", p)
local _, g1 = linda:get("k")
local _, g2 = linda:get("k")
check.eq(g1 ~= g2 and g1:xy() == 1 and g2:xy() == 1, true, "each get has a clone of its own")
check.done()
