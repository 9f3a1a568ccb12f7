-- What names a slot: booleans, numbers, strings, light userdata and lindas
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
local list, gives = check.list, check.gives

-- (a number alone would be a timeout, so each is given after one)
local other = lanes.linda()
local keys = {
    true, false, 0, 1, -1, 1.5, 1e300, -1e300, math.huge, -math.huge, 2 ^ 53, 2 ^ 53 + 2, 2 ^ 63, -2 ^ 63, 2 ^ 64, 5e-324,
    "", "a", "1", "true", "a\0b", "a\0c", ("x"):rep(100000), other, linda, lanes.linda(), linda:deep(), other:deep(),
}
for i, key in ipairs(keys) do
    check.eq(linda:count(key), nil)
    gives(list(true), linda:send(nil, key, i))
    check.eq(linda:count(key), 1)
end
for i, key in ipairs(keys) do
    gives(list(1, i), linda:get(key))
    gives(list(key, i), linda:receive(0, key))
    linda:set(key) -- forgets the slot
end

-- 1 and 1.0 are one key, and the answer gives the key as the caller wrote it
local one, one_float = 1, 2 ^ 0
linda:send(nil, one, "a")
linda:send(nil, one_float, "b")
local key = linda:receive(0, one_float)
check.eq(tostring(key), tostring(one_float))
key = linda:receive(0, one)
check.eq(tostring(key), "1")
linda:set(one)
-- so are 0 and -0
linda:send(nil, 0, "zero")
gives(list(1, "zero"), linda:get(-0.0))
linda:set(0)
-- neighbours that a float cannot tell apart are two where there are integers
if math.type then
    local big = math.maxinteger
    linda:send(nil, big, "big")
    gives(list(1, "big"), linda:get(big))
    gives(list(0), linda:get(big - 1))
    gives(list(0), linda:get(2 ^ 63))
    linda:set(big)
end

-- strings and numbers are different keys
linda:send(nil, 7, "number")
gives(list(0), linda:get "7")
linda:set(7)

-- what names none
local co = coroutine.create(function() end)
local bad_type = "invalid slot type (not a boolean, string, number or light userdata)"
for _, case in ipairs {
    { {}, bad_type },
    { print, bad_type },
    { co, bad_type },
    { lanes.cancel_error, "can't use lanes.cancel_error as a slot" },
    { lanes.null, "can't use lanes.null as a slot" },
    { io.stdout, "can't use non-deep userdata as a slot" },
    { 0 / 0, "NaN" },
} do
    local bad, text = case[1], case[2]
    check.raises(text, linda.send, linda, nil, bad, 1)
    check.raises(text, linda.receive, linda, 0, bad)
    check.raises(text, linda.receive, linda, 0, "good", bad)
    check.raises(text, linda.receive_batched, linda, 0, bad, 1)
    check.raises(text, linda.set, linda, bad, 1)
    check.raises(text, linda.get, linda, bad)
    check.raises(text, linda.count, linda, bad)
    check.raises(text, linda.count, linda, "good", bad)
    check.raises(text, linda.limit, linda, bad, 1)
    check.raises(text, linda.limit, linda, bad)
    check.raises(text, linda.restrict, linda, bad, "none")
end
check.raises(bad_type, linda.receive, linda)
check.raises(bad_type, linda.receive, linda, 0)
check.raises(bad_type, linda.get, linda)
check.raises(bad_type, linda.get, linda, nil)
check.raises(bad_type, linda.send, linda)
check.raises("bad argument #1 to 'send'", function() linda:send({}, 1) end)
check.same(linda:count(), {}, "the slots that are left")

check.done()
