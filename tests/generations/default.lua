-- A plain require gives the interface of Lanes 4.x, configured at first use
local check = require "check"
local lanes = require "lanes"

check.eq(rawget(_G, "lanes"), nil, "no global")
check.eq(type(lanes.configure), "function")
check.eq(getmetatable(lanes), "Lanes")
check.eq(type(lanes.null), "userdata")
check.eq(getmetatable(lanes), "Lanes", "reading configure or null configures nothing")
check.eq(package.loaded.lanes, lanes)
check.eq(type(lanes.gen), "function")
check.eq(getmetatable(lanes), nil)
check.eq(lanes.nothing, nil)
check.eq(lanes.configure(), lanes)
check.eq(lanes.configure { anything = true }, lanes)
check.eq(lanes.configure, lanes.configure)
check.eq(lanes.configure(1, 2).configure(), lanes)
for _, name in ipairs { "author", "description", "license", "copyright", "version" } do
    check.eq(type(lanes.ABOUT[name]), "string", name)
end
check.eq(type(lanes.cancel_error), "userdata")
check.eq(getmetatable(lanes.cancel_error), nil)
check.is_true(lanes.cancel_error ~= lanes.null)
check.gives(check.list(nil, "timeout"), lanes.linda():receive(0, "x"))

check.done()
