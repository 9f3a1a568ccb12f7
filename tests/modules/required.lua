-- The options `required` and `package`
local check = require "check"
local lanes = require "lanes".configure()

package.preload.mine = function() return { value = 5 } end
local h = lanes.gen("*", { required = { "mine", "string" } }, function() return package.loaded.mine.value end)()
check.eq(h[1], 5)
check.raises("list of strings", lanes.gen("*", { required = { 5 } }, function() end))
check.raises("cannot pre-require modules without loading 'package' library first",
    lanes.gen("base", { required = { "mine" } }, function() end))
check.raises("no_such", lanes.gen("*", { required = { "no_such" } }, function() end))

local h = lanes.gen("*", { package = {
    path = "./?.x", cpath = "./?.y", preload = { other = function() return { value = 6 } end },
} }, function()
    return package.path, package.cpath, require "other".value, pcall(require, "mine")
end)()
check.eq(h[1], "./?.x")
check.eq(h[2], "./?.y")
check.eq(h[3], 6)
check.eq(h[4], false)
check.raises("failed to copy package.path", lanes.gen("*", { package = { path = {} } }, function() end))
check.done()
