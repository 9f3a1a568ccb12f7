-- A lane that fails: its error value, joined and indexed, any number of times
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local list, gives = check.list, check.gives
local linda = lanes.linda()

for what, value in pairs {
    string = "plain text", number = 42, boolean = false, table = { 1, { 2 } }, linda = linda, ["function"] = print,
    object = setmetatable({}, { __tostring = function() return "described" end }), ["light userdata"] = linda:deep(),
} do
    for _, first in ipairs { "join", "index" } do
        local h = lanes.gen("*", function(v) error(v, 0) end)(value)
        for _ = 1, 2 do
            if first == "join" then
                local ok, err = check.results(2, h:join())
                check.eq(ok, nil)
                check.same(err, value, what)
                check.eq(getmetatable(err), getmetatable(value))
            end
            for _, n in ipairs { 1, 0, 2, 100 } do
                local ok, err = pcall(function() return h[n] end)
                check.eq(ok, false)
                if type(value) == "string" then
                    check.is_true(err:find "errors%.lua:%d+: plain text$", err)
                elseif _VERSION == "Lua 5.1" and not jit then
                    check.eq(type(err), "string", what)
                else
                    check.same(err, value, what)
                end
            end
            check.same(h[-1], value, what)
            check.same(h[-7], value, what)
            first = "join"
        end
        check.eq(h.status, "error")
    end
end
-- nil is an error value too
local h = lanes.gen("*", function() error(nil) end)()
local ok, err = h:join()
check.eq(ok, nil)
check.eq(h.status, "error")

-- positions
local ok, err = lanes.gen("*", function() local x = nil; return x.field end)():join()
check.eq(ok, nil)
check.is_true(tostring(err):find("attempt to index", 1, true), err)

-- a stack that overflows is an error of the lane
h = lanes.gen("*", function() local function f() return 1 + f() end return f() end)()
ok, err = h:join(20)
check.eq(ok, nil)
check.is_true(tostring(err):find("stack overflow", 1, true), err)
-- the main state goes on
gives(list(true, 1), lanes.gen("*", function() return 1 end)():join())

check.done()
