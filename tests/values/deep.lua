-- Data nested a hundred thousand levels deep travels
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
local LEVELS = 100000

local t = { "bottom" }
for i = 1, LEVELS do t = { t, i } end
linda:send("k", t)
t = nil
local _, got = linda:receive "k"
for i = LEVELS, 1, -1 do
    if got[2] ~= i then error("level " .. i) end
    got = got[1]
end
check.eq(got[1], "bottom")

-- as keys, through metatables and through upvalues
t = "bottom"
for i = 1, 10000 do t = { [{ t }] = i } end
linda:send("k", t)
_, got = linda:receive "k"
for i = 10000, 1, -1 do
    local key, value = next(got)
    if value ~= i then error("level " .. i) end
    got = key[1]
end
check.eq(got, "bottom")
t = {}
for i = 1, 5000 do t = setmetatable({}, { __index = t }) end
linda:send("k", t)
_, got = linda:receive "k"
check.is_true(getmetatable(got) == getmetatable(t))

-- a bad value at the bottom: the path is given, and nothing breaks
t = { coroutine.create(function() end) }
for _ = 1, LEVELS do t = { next = t } end
check.raises("a coroutine cannot be transferred", linda.send, linda, "k", t)
linda:send("k", "works")
check.gives(check.list("k", "works"), linda:receive(0, "k"))

-- as arguments and results of a lane
t = {}
for i = 1, LEVELS do t = { t } end
local ok, back = lanes.gen("*", function(t) return t end)(t):join()
check.is_true(ok, back)
local depth = 0
while back do
    back, depth = back[1], depth + 1
end
check.eq(depth, LEVELS + 1)

check.done()
