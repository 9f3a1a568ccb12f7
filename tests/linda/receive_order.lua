-- A receive on several keys takes from the first, in the order given, that has a value
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
local list, gives = check.list, check.gives

linda:send("low", 1, 2)
linda:send("high", 3)
gives(list("high", 3), linda:receive(0, "high", "low"))
gives(list("low", 1), linda:receive(0, "high", "low"))
gives(list("low", 2), linda:receive(0, "high", "low", "other"))
gives(list(nil, "timeout"), linda:receive(0, "high", "low", "other"))

-- the same key twice is no mistake
linda:send("low", 1)
gives(list("low", 1), linda:receive(0, "low", "low"))

-- a blocked receive wakes for any of its keys
for _, key in ipairs { "a", "b", "c" } do
    local h = lanes.gen("*", function(l) return l:receive(10, "a", "b", "c") end)(linda)
    require "lane".reaches(h, "waiting")
    linda:send(key, key .. "!")
    gives(list(true, key, key .. "!"), h:join(10))
end

-- many keys
local keys = {}
for i = 1, 200 do keys[i] = "key " .. i end
linda:send("key 200", "last")
linda:send("key 77", "earlier")
local unpack = table.unpack or unpack
gives(list("key 77", "earlier"), linda:receive(0, unpack(keys)))
gives(list("key 200", "last"), linda:receive(0, unpack(keys)))

-- each of them again and again, also when there are more than a linda remembers
for count = 15, 18 do
    local some = {}
    for i = 1, count do some[i] = i % 3 == 0 and "n " .. i or i + 0.5 end
    for round = 1, 3 do
        for i = count, 1, -1 do linda:send(nil, some[i], round * i) end
        for i = 1, count do
            gives(list(some[i], round * i), linda:receive(0, unpack(some, 1, count)))
        end
    end
    gives(list(nil, "timeout"), linda:receive(0, unpack(some, 1, count)))
end

-- one from which nobody may receive is no matter while an earlier one has a value
linda:restrict("variable", "set/get")
linda:send("low", 1, 2)
gives(list("low", 1), linda:receive(0, "low", "variable"))
check.raises("Key is restricted", linda.receive, linda, 0, "variable", "low")
check.raises("Key is restricted", linda.receive, linda, 0, "high", "variable", "low")
gives(list("low", 2), linda:receive(0, "low", "variable"))
check.raises("Key is restricted", linda.receive, linda, 0, "low", "variable")

-- a cancelled linda gives nothing, whatever it has
linda:send("low", 1)
linda:cancel "read"
gives(list(nil, lanes.cancel_error), linda:receive(0, "high", "low"))
check.eq(linda:count "low", 1)

check.done()
