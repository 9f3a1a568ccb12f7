-- The options globals, required, package and name
local check = require "check"
local lanes = require "lanes"
local list, gives = check.list, check.gives

-- globals
local shared = {}
local h = lanes.gen("*", { globals = { x = 1, t = shared, u = shared, print = "mine", f = function() return x end } },
    function() return x, t == u, print, f() end)()
gives(list(true, 1, true, "mine", 1), h:join())
-- each lane gets its own copy, of what the table holds when it starts
local globals = { n = 1 }
local gen = lanes.gen("*", { globals = globals }, function() n = n + 1; return n end)
gives(list(true, 2), gen():join())
globals.n = 10
gives(list(true, 11), gen():join())
check.eq(globals.n, 10)
check.eq(rawget(_G, "n"), nil)
-- without any library there are globals all the same
gives(list(true, 5), lanes.gen({ globals = { five = 5 } }, function() return five end)():join())

-- required
gives(list(true, "table"), lanes.gen("*", { required = { "check" } }, function()
    return type(package.loaded.check)
end)():join())
check.raises("cannot pre-require modules without loading 'package' library first",
    lanes.gen("base", { required = { "check" } }, function() end))
check.raises("required module list should be a list of strings", lanes.gen("*", { required = { 1 } }, function() end))
check.raises("module 'no such module' not found", lanes.gen("*", { required = { "no such module" } }, function() end))

-- package: the caller's paths, or those that are given
gives(list(true, package.path, package.cpath), lanes.gen("*", function() return package.path, package.cpath end)():join())
gives(list(true, "a/?.lua", "b/?.so"), lanes.gen("*", { package = { path = "a/?.lua", cpath = "b/?.so" } }, function()
    return package.path, package.cpath
end)():join())
check.raises("failed to copy package.path", lanes.gen("*", { package = { path = 1 } }, function() end))
local path = package.path
package.path = "changed/?.lua"
gives(list(true, "changed/?.lua"), lanes.gen("*", function() return package.path end)():join())
package.path = path

-- name
local function name_of(options, body)
    local h = lanes.gen("*", options, body or function() return lane_threadname() end)()
    return h:get_threadname(), select(2, h:join())
end
gives(list("<unnamed>", "<unnamed>"), name_of {})
gives(list("user name", "user name"), name_of { name = "user name" })
gives(list("longer than the system's fifteen bytes", "longer than the system's fifteen bytes"),
    name_of { name = "longer than the system's fifteen bytes" })
gives(list("", ""), name_of { name = "" })
gives(list("a\0b", "a\0b"), name_of { name = "a\0b" })
local auto = name_of { name = "auto" }
check.is_true(auto:find "options%.lua:%d+$", auto)
auto = name_of({ name = "auto" }, "return 1")
check.is_true(auto:find "options%.lua:%d+$", auto)

-- several tables: the later wins
gives(list("b", "b"), (function()
    local h = lanes.gen({ name = "a" }, "*", { name = "b" }, function() return lane_threadname() end)()
    return h:get_threadname(), select(2, h:join())
end)())

check.done()
