-- Functions travel with their upvalues: recursive, mutual, nested, varargs, in tables
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
local list, gives = check.list, check.gives

local function through(f, ...)
    linda:send("k", f)
    local _, got = linda:receive "k"
    check.is_true(got ~= f)
    return lanes.gen("*", got)(...)
end

gives(list(true, 1, nil, 3), through(function(...) return ... end, 1, nil, 3):join())
local n, text, flag, none = 5, "text", false, nil
gives(list(true, 5, "text", false, nil), through(function() return n, text, flag, none end):join())

local function factorial(n) return n <= 1 and 1 or n * factorial(n - 1) end
gives(list(true, 120), through(factorial, 5):join())

local even, odd
function even(n) if n == 0 then return true end return odd(n - 1) end
function odd(n) if n == 0 then return false end return even(n - 1) end
gives(list(true, true), through(even, 10):join())
gives(list(true, true), through(odd, 7):join())

local function outer(a)
    return function(b)
        return function(c) return a + b + c end
    end
end
gives(list(true, 6), through(outer(1)(2), 3):join())

-- a function that is in the table that is its upvalue
local object = { n = 3 }
function object.get() return object.n end
linda:send("k", object)
local _, copy = linda:receive "k"
copy.n = 4
check.eq(copy.get(), 4, "the upvalue is the table that was sent with it")
check.eq(object.get(), 3)

-- the same function twice is one
local function f() end
linda:send("k", { f, f, x = f }, f)
local _, t, g = linda:receive_batched("k", 2)
check.is_true(t[1] == t[2] and t[1] == t.x and t.x == g)

-- a function returned by a lane goes on working here
local ok, counter = lanes.gen("*", function()
    local count = 10
    return function() count = count + 1; return count end
end)():join()
check.is_true(ok, counter)
check.eq(counter(), 11)
check.eq(counter(), 12)

-- upvalues are a snapshot
local state = 1
local gen = lanes.gen("*", function() return state end)
state = 2
gives(list(true, 2), gen():join()) -- taken when the lane starts
state = 3
gives(list(true, 3), gen():join())

-- many upvalues, and a chunk that was loaded
local code = {}
for i = 1, 60 do code[#code + 1] = ("local v%d = %d"):format(i, i) end
code[#code + 1] = "return function() return 0"
for i = 1, 60 do code[#code + 1] = " + v" .. i end
code[#code + 1] = " end"
local many = (loadstring or load)(table.concat(code, "\n"))()
gives(list(true, 1830), through(many):join())

-- a deep chain of functions
local chain = function() return 0 end
for i = 1, 1000 do
    local inner = chain
    chain = function() return 1 + inner() end
end
linda:send("k", chain)
check.eq(select(2, linda:receive "k")(), 1000)

check.done()
