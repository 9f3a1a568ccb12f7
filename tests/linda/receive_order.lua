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

check.done()
