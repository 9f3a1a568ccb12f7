-- C functions and library tables travel by name
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
local list, gives = check.list, check.gives

for _, f in ipairs { print, string.upper, table.concat, math.floor, os.time, io.write, coroutine.yield, pcall, select } do
    linda:send("k", f, { f, [f] = true })
    local _, got, t = linda:receive_batched("k", 2)
    check.is_true(got == f and t[1] == f and t[f])
end
gives(list(true, "ABC"), lanes.gen("*", string.upper)("abc"):join())
local upper = string.upper
gives(list(true, "ABC"), lanes.gen("*", function(f) return f(upper("a")) .. string.upper "bc" end)(string.upper):join())

-- what the receiver lacks is an error there; the value is gone, and the linda works on
linda:send("k", io.write, "next")
local h = lanes.gen("base", function(l)
    local ok, err = pcall(l.receive, l, "k")
    return ok, err, l:receive "k"
end)(linda)
local ok, received, err, key, value = h:join()
check.is_true(ok, received)
check.eq(received, false)
check.is_true(tostring(err):find("not found in", 1, true) and tostring(err):find("io/write", 1, true), tostring(err))
gives(list("k", "next"), key, value)
check.eq(linda:count "k", 0)

-- and at once where the lane is started
check.raises("not found in", lanes.gen("base", function(f) return f end), io.write)
local write = io.write
check.raises("not found in", lanes.gen("base", function() return write end))

-- C functions without a name are refused: closures made by C code
local unnamed = string.gmatch("a", "a")
check.raises("argument 2: a C function", linda.send, linda, "k", unnamed)
check.eq(linda:count "k", 0)

check.done()
