-- What nameof gives: the type, and the value or the path to it
local check = require "check"
local lanes = require "lanes"

local function list(...) return { n = select("#", ...), ... } end
check.same(list(lanes.nameof "bob"), { n = 2, "string", "bob" })
check.same(list(lanes.nameof(true)), { n = 2, "boolean", true })
check.same(list(lanes.nameof(42)), { n = 2, "number", 42 })
check.same(list(lanes.nameof {}), { n = 2, "table" })
check.same(list(lanes.nameof(function() end)), { n = 2, "function" })
check.same(list(lanes.nameof(print)), { n = 2, "function", "_G/print()" })
check.same(list(lanes.nameof(string)), { n = 2, "table", "_G/string[]" })
check.same(list(lanes.nameof(string.sub)), { n = 2, "function", "_G/string[]/sub()" })
check.raises("exactly 1 argument expected", lanes.nameof)
check.raises("exactly 1 argument expected", lanes.nameof, 1, 2)
check.done()
