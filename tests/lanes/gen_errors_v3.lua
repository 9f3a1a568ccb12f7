-- Mistakes in lanes.gen in the words of Lanes 3.x
-- load: lanes.v3
local check = require "check"
local lanes = require "lanes".configure()
local gen = lanes.gen
local function f() end

check.raises("No parameters!", gen)
check.raises('Bad parameter 1: boolean "true"', gen, true, f)
check.raises('Last parameter not function or string: nil "nil"', gen, nil)
check.raises("Bad library name: xxx", gen, "xxx", f)
check.raises("libs specification contains 'io' more than once", gen, "io,io", f)
check.raises("Bad 'foo' option", gen, { foo = 1 }, f)
check.raises('Unkeyed option: number "7"', gen, { 7 }, f)
check.raises('Bad \'globals\' option: number "1"', gen, { globals = 1 }, f)
-- libraries that this interpreter lacks are ignored; so is the old cancelstep
check.eq(type(gen("bit32,utf8,bit,jit,ffi,coroutine,lanes.core", { cancelstep = 10 }, f)), "function")

check.done()
