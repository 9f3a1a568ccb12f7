-- Tables, functions and lindas as keys of tables
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

local key = { "key" }
local function f() return "called" end
linda:send("k", { [key] = "value", list = { key }, [f] = f, [linda] = "linda", [print] = "print", [string] = "string" }, key)
local _, t, k = linda:receive_batched("k", 2)
check.eq(t[k], "value")
check.is_true(t.list[1] == k)
check.eq(t[linda], "linda")
check.eq(t[print], "print")
check.eq(t[string], "string")
local functions = 0
for key, value in pairs(t) do
    if type(key) == "function" and key ~= print then
        functions = functions + 1
        check.is_true(key == value)
        check.eq(key(), "called")
    end
end
check.eq(functions, 1)

-- a table that is its own key
local own = {}
own[own] = own
linda:send("k", own)
local _, got = linda:receive "k"
check.is_true(next(got) == got and got[got] == got)

-- an entry whose key is a coroutine is left out, in every generation
linda:send("k", { [coroutine.create(function() end)] = 1, x = 2 })
check.same(select(2, linda:receive "k"), { x = 2 })

check.done()
