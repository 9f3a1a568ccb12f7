-- Finalizers run last in, first out, and are told how the lane ended
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local list, gives = check.list, check.gives
local linda = lanes.linda()

local function body(how, level)
    for i = 1, 3 do
        set_finalizer(function(...)
            linda:send(nil, "ran", i, select("#", ...), (...), type((select(2, ...))))
        end)
    end
    if how == "error" then error("failed", 0) end
    if how == "cancel" then linda:receive "never" end
    return "result"
end
local function ran()
    local _, i, n, first, second = linda:receive_batched(0, "ran", 4)
    return i, n, first, second
end

local h = lanes.gen("*", body)("return")
gives(list(true, "result"), h:join())
for i = 3, 1, -1 do gives(list(i, 0, nil, "nil"), ran()) end

h = lanes.gen("*", body)("error")
gives(list(nil, "failed"), h:join())
for i = 3, 1, -1 do gives(list(i, 1, "failed", "nil"), ran()) end
h = lanes.gen("*", { error_trace_level = "basic" }, body)("error")
check.results(3, h:join())
for i = 3, 1, -1 do gives(list(i, 2, "failed", "table"), ran()) end
check.eq(linda:count "ran", 0)

-- after a cancellation they get the sentinel; the flag is still set there
h = lanes.gen("*", function(l)
    set_finalizer(function(err)
        found = err
        io.write(err == require "lanes".cancel_error and "cancelled," or "not cancelled,", cancel_test(true), "\n")
        io.flush()
    end)
    l:receive "never"
end)(linda)
require "lane".reaches(h, "waiting")
h:cancel()
gives(list(nil, lanes.cancel_error), h:join())

-- linda calls in the finalizer of a hard-cancelled lane are cancelled, which skips the others
h = lanes.gen("*", function(l)
    set_finalizer(function() io.write "never called\n" end)
    set_finalizer(function() l:send("late", 1); io.write "never reached\n" end)
    set_finalizer(function() io.write "first\n" end)
    l:receive "never"
end)(linda)
require "lane".reaches(h, "waiting")
h:cancel()
gives(list(nil, lanes.cancel_error), h:join())
check.eq(h.status, "cancelled")
check.eq(linda:count "late", nil)

-- their results are ignored; yet another one set by a finalizer does not run
h = lanes.gen("*", function()
    set_finalizer(function() set_finalizer(function() io.write "never set\n" end); return "ignored" end)
    return 1
end)()
gives(list(true, 1), h:join())

-- they see the state of the lane, and run before join returns
h = lanes.gen("*", function(l)
    local n = 5
    set_finalizer(function() l:send("n", n) end)
    n = 6
end)(linda)
h:join()
gives(list("n", 6), linda:receive(0, "n"))

-- what set_finalizer refuses
h = lanes.gen("*", function()
    local errors = {}
    for i, arguments in ipairs { {}, { 1 }, { "x" }, { {} } } do
        errors[i] = select(2, pcall(set_finalizer, (table.unpack or unpack)(arguments)))
    end
    errors[5] = select(2, pcall(set_finalizer, print, 1))
    return errors
end)()
local _, errors = h:join()
for i = 1, 4 do check.is_true(errors[i]:find("finalizer should be a function", 1, true), errors[i]) end
check.is_true(errors[5]:find("too many arguments", 1, true), errors[5])

print "end"
