-- Counters of genatomic lose no addition
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
local list, gives = check.list, check.gives

local add = lanes.genatomic(linda, "n", 5)
check.eq(add(), 6.0)
check.eq(add(-0.5), 5.5)
check.eq(add(-10), -4.5)
gives(list(1, -4.5), linda:get "n")
add = lanes.genatomic(linda, "zero")
check.eq(add(), 1)

add = lanes.genatomic(linda, "sum", 0)
local handles = {}
for i = 1, 5 do
    handles[i] = lanes.gen("*", function(add) for _ = 1, 500 do add(1) end end)(add)
end
for _, h in ipairs(handles) do gives(list(true), h:join(30)) end
check.eq(add(0), 2500)

linda:cancel()
gives(list(lanes.cancel_error), add(1))
gives(list(lanes.cancel_error), lanes.genatomic(linda, "sum", 0))
linda:cancel "none"
check.raises("expecting a Linda", lanes.genatomic, 1, "x")

check.done()
