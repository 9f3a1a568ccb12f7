-- Counters of genatomic: arithmetic as in Lua, no addition is lost, cancellation
local check = require "check"
local lanes = require "lanes"

local l = lanes.linda()
local add = lanes.genatomic(l, "n", 5)
check.eq(add(), 6)
check.eq(add(-0.5), 5.5)
check.eq(add(-10), -4.5)
check.eq(select(2, l:get "n"), -4.5)
if math.type then
    local int = lanes.genatomic(l, "i", 5)
    check.eq(math.type(int(2)), "integer")
    check.eq(math.type(int()), "float")
end
check.eq(lanes.genatomic(l, "zero")(), 1)

local lane = lanes.gen("", function()
    for _ = 1, 500 do add(1) end
    return true
end)
local all = {}
for i = 1, 4 do all[i] = lane() end
for i = 1, 4 do check.eq(all[i][1], true) end
check.eq(add(0), 1995.5)

-- A slot that others have emptied is not counted in.
l:set "n"
check.raises("does not hold a number", add)
check.raises("number", add, {})

-- Softly cancelled lanes get cancel_error, others raise it.
l:set("n", 0)
local h = lanes.gen("*", function()
    repeat until cancel_test()
    return add() == require "lanes".cancel_error
end)()
h:cancel("soft", 0)
check.eq(h[1], true)
l:cancel()
check.eq(add(), lanes.cancel_error)
check.eq(lanes.genatomic(l, "n", 1), lanes.cancel_error)
check.done()
