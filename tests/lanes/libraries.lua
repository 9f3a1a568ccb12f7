-- A lane has the libraries that were asked for, and always its own functions
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"

-- The names of all globals, sorted: pairs is not there without base.
local function globals_of(...)
    local arguments = check.list(...)
    local unpack = table.unpack or unpack
    arguments[arguments.n + 1] = function(l)
        local send = l.send
        if pairs and _G then
            for name in pairs(_G) do send(l, "names", name) end
        else
            for i = 1, 3 do
                local probe = i == 1 and "set_finalizer" or i == 2 and "cancel_test" or "lane_threadname"
                if set_finalizer and cancel_test and lane_threadname then send(l, "names", probe) end
            end
            if print or string or pairs or _G then send(l, "names", "more than that") end
        end
    end
    local linda = lanes.linda()
    local h = lanes.gen(unpack(arguments, 1, arguments.n + 1))(linda)
    check.gives(check.list(true), h:join())
    local names = {}
    while linda:count "names" and linda:count "names" > 0 do
        local _, name = linda:receive "names"
        names[name] = true
    end
    return names
end

local none = globals_of()
check.same(none, { set_finalizer = true, cancel_test = true, lane_threadname = true })
check.same(globals_of(nil), none)

local base = globals_of ""
check.is_true(base.print and base.pairs and base._G and base.set_finalizer)
check.eq(base.io, nil)
check.eq(base.string, nil)
check.same(globals_of "base", base)

local some = globals_of("io", nil, "math;string")
check.is_true(some.io and some.math and some.string and some.print)
check.eq(some.os, nil)
check.eq(some.table, nil)

local all = globals_of "*"
for name in pairs(_G) do
    if type(_G[name]) ~= "table" or name == "string" or name == "package" then
        check.is_true(all[name] or name == "arg", name)
    end
end

-- libraries of other flavours: an error, unless optional
local lacking = jit and "utf8" or "bit"
check.raises('Unsupported library: "' .. lacking .. '"', lanes.gen, lacking, print)
check.eq(globals_of("math," .. lacking .. "?")[lacking], nil)
check.raises("Bad library name", lanes.gen, "nonsense?", print)

-- a lane without libraries can work with a linda
local linda = lanes.linda()
local h = lanes.gen(function(l, n)
    l:send("k", n + 1)
    local key, v = l:receive(10, "back")
    return v * 2
end)(linda, 1)
check.gives(check.list("k", 2), linda:receive(10, "k"))
linda:send("back", 21)
check.gives(check.list(true, 42), h:join())

-- none of the lane's functions exists in the main state
for name in pairs(none) do check.eq(rawget(_G, name), nil, name) end

check.done()
