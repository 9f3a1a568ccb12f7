-- on_state_create runs in each new lane, before its body
local check = require "check"
local lanes = require "lanes"

local text = "made by "
local configured = lanes.configure { on_state_create = function(where)
    made = text .. where
    if package then package.preload.made = function() return { made } end end
end }
check.eq(configured, lanes)
check.eq(made, nil)
check.eq(lanes.gen("*", function() return made end)()[1], "made by lane")
check.eq(lanes.gen("base", function() return made end)()[1], "made by lane")
check.eq(lanes.gen(function() return made end)()[1], "made by lane")
check.eq(lanes.gen("*", { required = { "made" } }, function() return package.loaded.made[1] end)()[1], "made by lane")
check.eq(lanes.gen("*", function()
    return require "lanes".gen("*", function() return made end)()[1]
end)()[1], "made by lane")
check.done()
