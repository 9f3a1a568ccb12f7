-- How a linda looks in Lanes 2.x
-- load: lanes.v2
local check = require "check"
require "lanes"
local linda = lanes.linda("ignored", 1)

check.is_true(tostring(linda):find "^linda: 0?x?%x+$", tostring(linda))
check.eq(getmetatable(linda), false)
check.eq(linda.nothing, nil)
check.eq(linda[1], nil)
check.raises("", function() linda.x = 1 end)
check.eq(type(linda.batched), "string")
for _, absent in ipairs { "cancel", "wake", "restrict", "receive_batched", "collectgarbage", "status" } do
    check.eq(linda[absent], nil, absent)
end
check.raises("expected a linda object!", linda.send, {}, "k", 1)
check.raises("no data to send", linda.send, linda, "k")

-- set takes one value; nil removes
linda:set("k", 1, 2, 3)
check.eq(linda:count "k", 1)
linda:set("k", nil)
check.gives(check.list(), linda:count "k")
check.gives(check.list(), linda:count())
linda:limit("k", -1) -- no limit
check.eq(linda:send(0, "k", 1), true)

check.done()
