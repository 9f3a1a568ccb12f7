-- __lanesconvert: a table says what is to travel in its stead
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
local list, gives = check.list, check.gives

local function with(convert, t) return setmetatable(t or {}, { __lanesconvert = convert }) end

-- null, decay
linda:send("k", with(lanes.null), { with(lanes.null), x = with(lanes.null), y = 1 })
local _, a, b = linda:receive_batched("k", 2)
check.eq(a, nil)
check.same(b, { nil, y = 1 })
local t = with("decay")
linda:send("k", t, { t })
_, a, b = linda:receive_batched("k", 2)
check.eq(type(a), "userdata")
check.eq(getmetatable(a), nil)
check.eq(b[1], a)

-- a function: its result travels; it is told which way
linda:send("k", with(function(o, where) return where .. " " .. o.name end, { name = "me" }))
gives(list("k", "keeper me"), linda:receive "k")
gives(list(true, "regular me"), lanes.gen("*", function(v) return v end)(
    with(function(o, where) return where .. " " .. o.name end, { name = "me" })):join())
linda:send("k", with(function() return nil end), with(function() return { 1, 2 } end), with(function() return linda end))
gives(list("k", nil, { 1, 2 }, linda), linda:receive_batched("k", 3))

-- one object is converted to one thing
local calls = 0
t = with(function() calls = calls + 1; return { "converted" } end)
linda:send("k", { t, t, x = t })
_, a = linda:receive "k"
check.is_true(a[1] == a[2] and a[1] == a.x and a[1][1] == "converted")
check.eq(calls, 1)

-- converted once by default; what it gives must not ask for it again
local again
again = with(function() return again end)
check.raises("conversion attempts", linda.send, linda, "k", again)
-- what is no way to convert
check.raises("Invalid __lanesconvert mode 'foo'", linda.send, linda, "k", with "foo")
check.raises("Invalid __lanesconvert type number", linda.send, linda, "k", with(1))
check.raises("Invalid __lanesconvert type boolean", linda.send, linda, "k", with(true))
-- an error in it is the sender's
check.raises("in the conversion", linda.send, linda, "k", with(function() error("in the conversion") end))
check.raises("in the conversion", lanes.gen("*", print), { with(function() error("in the conversion") end) })
check.eq(linda:count "k", 0)
linda:send("k", "works")
gives(list("k", "works"), linda:receive(0, "k"))

check.done()
