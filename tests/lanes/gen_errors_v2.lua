-- Mistakes in lanes.gen in the words of Lanes 2.x
-- load: lanes.v2
local check = require "check"
require "lanes"
local gen = lanes.gen
local function f() end

check.raises("No parameters!", gen)
check.raises("Bad parameter: true", gen, true, f)
check.raises("Last parameter not function or string: nil", gen, nil)
check.raises("Bad library name: xxx", gen, "xxx", f)
check.raises("Bad option: foo", gen, { foo = 1 }, f)
check.raises("unkeyed option: 7", gen, { 7 }, f)
check.eq(type(gen("io,io", f)), "function")
check.eq(type(gen("*", { cancelstep = true }, f)), "function")

check.done()
