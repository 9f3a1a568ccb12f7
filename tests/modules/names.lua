-- The core module answers under its old names, in the master and in lanes
local check = require "check"
local lanes = require "lanes".configure()

for _, name in ipairs { "lanes.core", "lanes_core", "lua51-lanes" } do
    check.eq(type(require(name)), "table")
    check.eq(lanes.gen("*", function() return type(require(name)) end)()[1], "table")
end
check.eq(lanes.gen("base,lanes_core,package", function() return type(require "lanes_core") end)()[1], "table")
check.done()
