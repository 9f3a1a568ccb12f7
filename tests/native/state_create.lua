-- A C function as on_state_create is called in bare states too; allocators are checked
-- needs: module:statehook
local check = require "check"
local lanes = require "lanes"
local statehook = require "statehook"

check.raises("config.allocator() shouldn't have upvalues", lanes.configure, { allocator = statehook.upvalues() })
check.raises("not a userdata", lanes.configure, { allocator = statehook.nothing })
check.raises("too small", lanes.configure, { allocator = statehook.small })

lanes.configure { nb_user_keepers = 3, on_state_create = statehook.hook }
local function seen() return { statehook.seen() } end
check.same(seen(), { 0, 4 })
check.eq(lanes.gen("*", function() return require "made" end)()[1], "made by C")
check.eq(lanes.gen("base", function() return 1 end)()[1], 1)
check.eq(lanes.gen(function() return 1 end)()[1], 1)
check.same(seen(), { 3, 4 })
check.eq(lanes.gen("*", { required = { "made" } }, function() return package.loaded.made end)()[1], "made by C")
check.done()
