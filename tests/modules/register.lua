-- register and require make functions of modules known by name
local check = require "check"
local lanes = require "lanes".configure()

-- A module outside of package.loaded, with C functions of its own.
local wrap = coroutine.wrap(function() end)
local module = { deep = { f = wrap }, value = 1 }
check.raises("not found in", lanes.gen("*", function() return wrap end))
lanes.register("mod", module)
check.raises("mod/deep/f", lanes.gen("*", function() return wrap end))
check.raises("unexpected module type", lanes.register, "x", 5)
check.raises("string", lanes.register, nil, {})
lanes.register("io_again", io.stdout)

package.preload.found = function() return { f = wrap } end
check.eq(check.results(1, lanes.require "found").f, wrap)
check.raises("no_such", lanes.require, "no_such")
check.done()
