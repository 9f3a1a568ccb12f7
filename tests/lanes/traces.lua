-- Stack traces of failed lanes, by level
-- valgrind: yes
local check = require "check"
local lanes = require "lanes".configure((jit or _VERSION == "Lua 5.1" or _VERSION == "Lua 5.2") and {} or { strip_functions = false })

local function body(level)
    local function inner() error "oops" end
    local function middle() inner() return 1 end
    set_finalizer(function(err, trace) finalizer_got = type(trace) end)
    middle()
    return 1
end

local h = lanes.gen("*", body)()
local n = select("#", h:join())
check.eq(n, 2, "minimal: no trace")
check.eq(h.error_trace_level, "minimal")
h = lanes.gen("*", { error_trace_level = "minimal" }, body)()
check.results(2, h:join())

h = lanes.gen("*", { error_trace_level = "basic" }, body)()
check.eq(h.error_trace_level, "basic")
local ok, err, trace = check.results(3, h:join())
check.is_true(err:find "traces%.lua:7: oops$", err)
check.eq(type(trace), "table")
local text = table.concat(trace, "\n")
check.is_true(text:find("traces.lua:7", 1, true) and text:find("traces.lua:8", 1, true), text)
check.is_true(text:find("traces.lua:10", 1, true), text)

h = lanes.gen("*", { error_trace_level = "extended" }, body)()
check.eq(h.error_trace_level, "extended")
ok, err, trace = check.results(3, h:join())
local lines = {}
for i, level in ipairs(trace) do
    check.eq(type(level), "table")
    check.eq(type(level.source), "string")
    check.eq(type(level.currentline), "number")
    check.eq(type(level.name), "string")
    check.eq(type(level.namewhat), "string")
    check.eq(type(level.what), "string")
    lines[level.currentline] = level
end
check.is_true(lines[7] and lines[8] and lines[10])
check.eq(lines[8].what, "Lua")

-- an error that is no string has a trace too; success has none
h = lanes.gen("*", { error_trace_level = "basic" }, function() error {} end)()
ok, err, trace = check.results(3, h:join())
check.eq(type(err), "table")
check.eq(type(trace), "table")
check.results(2, lanes.gen("*", { error_trace_level = "extended" }, function() return 1 end)():join())
-- and a cancelled lane has none
h = lanes.gen("*", { error_trace_level = "basic" }, function() require "lanes".sleep() end)()
h:cancel()
check.gives(check.list(nil, lanes.cancel_error), h:join())

check.done()
