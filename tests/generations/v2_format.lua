-- Under lanes.v2 string.format cuts fractions off, as Lua 5.1 did, also in lanes
-- load: lanes.v2
local check = require "check"
require "lanes"

local function cases()
    return string.format("%d", 1.5), string.format("%d %s %5.2f", -2.7, "x", 1.005), ("%x|%%|%i"):format(255.9, 3.2),
        string.format("%s", 1.5), string.format("%d", 3)
end
local want = { "1", "-2 x " .. ("%5.2f"):format(1.005), "ff|%|3", "1.5", "3" }
check.same({ cases() }, want)
check.same({ lanes.gen("*", cases)():join() }, want)
check.raises("number", string.format, "%d", "x")
check.raises("", string.format, "%d")
check.eq(string.format "%%", "%")

check.done()
