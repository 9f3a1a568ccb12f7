-- Errors of coroutine lanes: values, traces of each level, finalizers
local check = require "check"
local lanes = require "lanes"

local function body(what)
    local reply = coroutine.yield("ready")
    error(what or reply, 0)
end
for _, level in ipairs { "minimal", "basic", "extended" } do
    local h = lanes.coro("*", { error_trace_level = level }, body)()
    check.eq(h:resume "no good", "ready")
    local ok, err, trace = h:join()
    check.eq(ok, nil)
    check.eq(err, "no good")
    check.eq(type(trace), level == "minimal" and "nil" or "table")
    if level == "basic" then check.eq(type(trace[1]), "string") end
    if level == "extended" then check.eq(type(trace[1].source), "string") end
    check.eq(h.status, "error")
end

local h = lanes.coro("*", function()
    set_finalizer(function(err) err.seen = true; error(err) end)
    error { code = 7 }
end)()
local _, err = h:join()
check.same(err, { code = 7, seen = true })

-- Yielding in a plain lane is an error.
local ok, err = lanes.gen("*", function() coroutine.yield(1) end)():join()
check.eq(ok, nil)
check.is_true(err:find "attempt to yield")
check.done()
