-- Loading and using the module changes nothing that belongs to the program
-- args: v4
-- args: v3
local check = require "check"
local before, metatable = {}, getmetatable(_G)
for k, v in pairs(_G) do before[k] = v end
local strings, path, cpath = {}, package.path, package.cpath
for k, v in pairs(string) do strings[k] = v end
local events = 0
debug.sethook(function() events = events + 1 end, "l")
local hook, mask = debug.gethook()

local lanes = arg[1] == "v3" and require "lanes.v3".configure() or require "lanes"
local linda = lanes.linda()
linda:send("k", { 1 })
linda:receive "k"
lanes.gen("*", function() return 1 end)():join()

local hook2, mask2 = debug.gethook()
check.is_true(hook2 == hook and mask2 == mask, "the hook")
debug.sethook()
check.is_true(events > 5)
check.eq(getmetatable(_G), metatable)
check.eq(package.path, path)
check.eq(package.cpath, cpath)
for k, v in pairs(_G) do
    if k ~= "require" then check.eq(v, before[k], k) end -- require may be wrapped
end
for k in pairs(before) do check.is_true(_G[k] ~= nil, k) end
for k, v in pairs(string) do check.eq(v, strings[k], k) end

check.done()
