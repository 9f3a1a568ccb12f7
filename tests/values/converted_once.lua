-- an object that converts itself and occurs twice in a transfer is converted once and arrives as one

local check = require "check"
local lanes = require "lanes".configure{ convert_max_attempts = 3 }
local linda = lanes.linda()
local calls = 0
local t = setmetatable({}, { __lanesconvert = function(_, where) calls = calls + 1 return { where } end })
linda:send("k", { t, t, inner = { t } })
check.eq(calls, 1)
local _, a = linda:receive("k")
check.eq(a[1], a[2])
check.eq(a[1], a.inner[1])
check.eq(a[1][1], "keeper")
check.eq(lanes.gen("*", function(p, q) return p == q and p[1] end)(t, t)[1], "regular")

-- through several steps
local steps = setmetatable({}, { __lanesconvert = function()
  return setmetatable({}, { __lanesconvert = function()
    return setmetatable({}, { __lanesconvert = function() return { "third" } end })
  end })
end })
linda:send("k", { steps, steps })
_, a = linda:receive("k")
check.eq(a[1], a[2])
check.eq(a[1][1], "third")

-- a conversion that takes the entry out of the table that is being packed
local list = {}
for i = 1, 50 do list["key" .. i] = setmetatable({}, { __lanesconvert = function() list["key" .. i] = nil return i end }) end
local ok = pcall(linda.send, linda, "k", list)
check.eq(type(ok), "boolean")
check.eq(linda:send(0, "fresh", 1), true, "the linda goes on")
check.done()
