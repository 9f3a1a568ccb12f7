-- Adding to a slot in one step
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

linda:set("n", 5)
check.eq(linda:atomic_add("n", 2), 7)
check.eq(linda:atomic_add("n", -10), -3)
check.gives(check.list(1, -3), linda:get "n")
if math.type then
    check.eq(math.type(linda:atomic_add("n", 1)), "integer")
    check.eq(math.type(linda:atomic_add("n", 1.0)), "float")
end
local handles = {}
linda:set("sum", 0)
for i = 1, 4 do
    handles[i] = lanes.gen(function(l) for _ = 1, 1000 do l:atomic_add("sum", 1) end end)(linda)
end
for _, h in ipairs(handles) do check.gives(check.list(true), h:join(20)) end
check.eq(select(2, linda:get "sum"), 4000)
linda:set("text", "x")
check.eq(pcall(linda.atomic_add, linda, "text", 1), false)
check.eq(pcall(linda.atomic_add, linda, "n", "x"), false)

check.done()
