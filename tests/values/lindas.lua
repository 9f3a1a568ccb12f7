-- Lindas travel in tables, upvalues and functions, and live as long as somebody has them
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local list, gives = check.list, check.gives

local linda = lanes.linda()
local inner = lanes.linda { name = "inner" }
linda:send("k", { box = { inner }, f = function(v) inner:send("from f", v) end })
inner:send("a", 1)
inner = nil
collectgarbage()
collectgarbage()
local _, t = linda:receive "k"
gives(list("a", 1), t.box[1]:receive(0, "a"))
t.f(2)
gives(list("from f", 2), t.box[1]:receive(0, "from f"))
check.eq(tostring(t.box[1]), "Linda: inner")

-- a chain of lindas in lindas
local first = lanes.linda()
local l = first
for i = 1, 100 do
    local next_one = lanes.linda()
    l:send("next", next_one)
    l = next_one
end
l:send("end", "reached")
l = first
for i = 1, 100 do
    l = select(2, l:receive(0, "next"))
end
gives(list("end", "reached"), l:receive(0, "end"))

-- a lane makes one and returns it after its state is gone
local ok, made = lanes.gen("*", function()
    local l = require "lanes".linda { name = "made in a lane" }
    l:send("k", "v")
    return l
end)():join()
check.is_true(ok, made)
gives(list("k", "v"), made:receive(0, "k"))
check.eq(tostring(made), "Linda: made in a lane")

check.done()
