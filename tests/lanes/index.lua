-- Results are read from the handle by number, in any order, together with join
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local list, gives = check.list, check.gives

local function three() return lanes.gen("*", function() return 1, nil, { "t" } end)() end
for _, order in ipairs { "index", "join", "both" } do
    local h = three()
    if order ~= "index" then gives(list(true, 1, nil, { "t" }), h:join()) end
    for _ = 1, 2 do
        check.eq(h[3][1], "t")
        check.eq(h[1], 1)
        check.eq(h[2], nil)
        check.eq(h[4], nil)
        check.eq(h[0], 3)
        check.eq(h[-1], nil)
        check.eq(h[-5], nil)
        check.eq(h[1.5], nil)
        check.eq(h[1e10], nil)
        check.eq(h[math.huge], nil)
        check.eq(h[0 / 0], nil)
        check.is_true(h[3] == h[3], "the same copy each time")
    end
    if order ~= "join" then
        local ok, one, none, t = h:join(0)
        check.is_true(ok and one == 1 and none == nil and t == h[3])
    end
end
gives(list(true), lanes.gen("*", function() end)():join())
check.eq(lanes.gen("*", function() end)()[0], 0)
check.eq(lanes.gen("*", function() end)()[1], nil)
check.eq(lanes.gen("*", function() return nil, nil end)()[0], 2)

-- a number waits for the end
local linda = lanes.linda()
local h = lanes.gen("*", function(l) l:receive(0.1, "x"); return "late" end)(linda)
check.eq(h[1], "late")

-- a cancelled lane
h = lanes.gen("*", function(l) l:receive "x" end)(linda)
h:cancel()
gives(list(nil, lanes.cancel_error), h:join())
check.eq(h[0], 2)
check.eq(h[1], nil)
check.eq(h[2], lanes.cancel_error)
check.eq(h[3], nil)
check.eq(h[-1], nil)
gives(list(nil, lanes.cancel_error), h:join())

-- other keys
check.raises("unknown field 'nothing'", function() return h.nothing end)
check.raises("Unknown key: ", function() return h[{}] end)
check.raises("Unknown key: true", function() return h[true] end)
check.raises("Unknown key: ", function() return h[h] end)
check.raises("Unknown key: nil", function() return h[nil] end)

-- timeouts of join
for _, bad in ipairs { -1, -math.huge } do check.raises("duration cannot be < 0", h.join, h, bad) end
check.raises("NaN", h.join, h, 0 / 0)
for _, bad in ipairs { "1", {}, true, print } do check.raises("incorrect duration type", h.join, h, bad) end
for _, fine in ipairs { 0, 1, 1e20, math.huge } do gives(list(nil, lanes.cancel_error), h:join(fine)) end
gives(list(nil, lanes.cancel_error), h:join(nil))

-- many results
local ok, values = lanes.gen("*", function() local t = {} for i = 1, 3000 do t[i] = i end return (table.unpack or unpack)(t) end)()
h = ok
check.eq(h[0], 3000)
check.eq(h[3000], 3000)
check.eq(select("#", h:join()), 3001)

check.done()
