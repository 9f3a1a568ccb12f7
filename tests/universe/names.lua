-- nameof, register, require
local check = require "check"
local lanes = require "lanes"
local list, gives = check.list, check.gives

gives(list("string", "bob"), lanes.nameof "bob")
gives(list("boolean", true), lanes.nameof(true))
gives(list("number", 42), lanes.nameof(42))
gives(list("nil", nil), lanes.nameof(nil))
gives(list("table", nil), lanes.nameof {})
gives(list("function", nil), lanes.nameof(function() end))
gives(list("function", "_G/print()"), lanes.nameof(print))
gives(list("table", "_G/string[]"), lanes.nameof(string))
gives(list("function", "_G/string[]/sub()"), lanes.nameof(string.sub))
check.raises("exactly 1 argument expected", lanes.nameof)
check.raises("exactly 1 argument expected", lanes.nameof, 1, 2)

check.raises("unexpected module type", lanes.register, "x", "text")
check.raises("unexpected module type", lanes.register, "x", 1)
local module = { f = function() end, twice = string.rep }
lanes.register("my module", module)
check.eq(lanes.require "check", check)
check.results(1, lanes.require "check")

check.done()
