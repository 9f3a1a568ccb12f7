-- Mistakes in lanes.gen are told when it is called
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local gen = lanes.gen
local function f() end

check.raises("No arguments!", gen)
check.raises('Bad argument 1: boolean "true"', gen, true, f)
check.raises('Bad argument 2: number "5"', gen, "*", 5, f)
check.raises('Bad argument 1: function "function: ', gen, f, f)
check.raises('Last argument not function or string: nil "nil"', gen, nil)
check.raises('Last argument not function or string: nil "nil"', gen, "*", nil)
check.raises('Last argument not function or string: table "table: ', gen, "*", {})
check.raises('Last argument not function or string: number "1"', gen, 1)
check.raises('Bad library name: "xxx"', gen, "xxx", f)
check.raises('Bad library name: "Base"', gen, "Base", f)
check.raises('Libs specification contains "io" more than once', gen, "io,io", f)
check.raises('Libs specification contains "io" more than once', gen, "io", "os", "io", f)
for _, libraries in ipairs { "*,io", "io,*", "**", "base,*" } do
    check.raises("Libs specification '*' must be used alone", gen, libraries, f)
end
check.raises("Libs specification '*' must be used alone", gen, "*", "io", f)
check.raises("Libs specification '*' must be used alone", gen, "*", "*", f)
check.raises("Libs specification '*' must be used alone", gen, "base", "*", f)
check.raises("Bad 'foo' option", gen, { foo = 1 }, f)
check.raises('Unkeyed option: number "7"', gen, { 7 }, f)
check.raises('Unkeyed option: string "x"', gen, { "x" }, f)
for name, bad in pairs {
    globals = 1, required = "x", package = true, gc_cb = {}, name = 5, priority = "x", native_priority = {},
    error_trace_level = 3,
} do
    check.raises("Bad '" .. name .. "' option: " .. type(bad) .. ' "', gen, { [name] = bad }, f)
end
check.raises("Bad 'error_trace_level' option: string \"most\"", gen, { error_trace_level = "most" }, f)
check.raises("priority and native_priority cannot be specified together", gen, { priority = 0, native_priority = 1 }, f)
check.raises("priority and native_priority cannot be specified together", gen, { priority = 0 }, { native_priority = 1 }, f)
-- the caller's position stands in front
local _, err = pcall(function() gen(true, f) end)
check.is_true(err:find "gen_errors%.lua:%d+: ", err)

-- what is fine: any number of strings, tables and nils, in any order
for _, generator in ipairs {
    gen(f), gen(nil, f), gen(nil, nil, f), gen("", f), gen("io", f), gen("io,os", "math", f), gen({}, f),
    gen("*", {}, nil, f), gen({ name = "a" }, "*", { name = "b" }, f), gen("/io;os[base{", f), gen("*", print),
    gen("return 1"), gen("*", "return 1"),
} do
    check.eq(type(generator), "function")
end

check.done()
