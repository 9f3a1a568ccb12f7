-- The module needs nothing but its one file: no LUA_PATH
-- env: LUA_PATH=
local ok, lanes = pcall(require, "lanes")
assert(ok, lanes)
local h = lanes.gen("*", function() return require "lanes" ~= nil, 42 end)()
local joined, found, value = h:join()
assert(joined and found and value == 42)
print "ok"
