-- How a linda looks in Lanes 3.x
-- load: lanes.v3
local check = require "check"
local lanes = require "lanes".configure()
local linda = lanes.linda()

check.is_true(tostring(linda):find "^Linda: 0?x?%x+$", tostring(linda))
check.eq(tostring(lanes.linda "name"), "Linda: name")
check.eq(tostring(lanes.linda("name", 3)), "Linda: name")
check.is_true(tostring(lanes.linda(3)):find "^Linda: 0?x?%x+$")
check.raises("wrong parameter (should be a string or a number)", lanes.linda, {})
check.raises("wrong parameter (should be a string or a number)", lanes.linda, nil)
check.raises("wrong parameter (should be a string or a number)", lanes.linda, 1, "name")
check.raises("too many arguments", lanes.linda, "name", 1, 2)
check.eq(getmetatable(linda), "Linda")
check.eq(linda.nothing, nil)
check.eq(type(linda.null), "userdata")
for _, absent in ipairs { "wake", "restrict", "receive_batched", "status" } do
    check.eq(linda[absent], nil, absent)
end
check.raises("", function() linda.x = 1 end)
check.raises("expecting a linda object", linda.send, {}, "k", 1)
check.raises("unknown wake hint 'x'", linda.cancel, linda, "x")
check.raises("count should be >= 1", linda.get, linda, "k", 0)
check.raises("too many arguments", linda.get, linda, "k", 1, 1)

check.done()
