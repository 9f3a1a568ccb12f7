-- A linda has one proxy in a state, whatever way it comes
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda { name = "mine" }

linda:send("k", linda, { linda, [linda] = "as key" })
local _, a, b = linda:receive_batched("k", 2)
check.is_true(a == linda and b[1] == linda and rawequal(a, linda))
check.eq(b[linda], "as key")
check.eq(a:deep(), linda:deep())
check.eq(type(linda:deep()), "userdata")
check.is_true(lanes.linda():deep() ~= linda:deep())

-- through lanes and back
local h = lanes.gen("*", function(l, t)
    return l == t.l and t.l == t.m, l, t, l:deep(), tostring(l)
end)(linda, { l = linda, m = linda })
local ok, same, back, t, deep, text = h:join()
check.is_true(ok and same)
check.is_true(back == linda and t.l == linda and t.m == linda)
check.eq(deep, linda:deep())
check.eq(text, "Linda: mine")

-- a proxy that was collected comes back as another one of the same linda
local inner = lanes.linda()
inner:send("k", "still here")
linda:send("box", inner)
inner = nil
collectgarbage()
collectgarbage()
local _, again = linda:receive "box"
check.gives(check.list("k", "still here"), again:receive(0, "k"))

-- a table of lindas that share metatables keeps them apart
local many = {}
for i = 1, 100 do many[i] = lanes.linda() end
linda:send("k", many)
local _, got = linda:receive "k"
for i = 1, 100 do check.is_true(got[i] == many[i]) end

check.done()
