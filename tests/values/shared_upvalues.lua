-- A variable shared by several closures stays shared
-- needs: lua>=5.2 | luajit
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

local function counter()
    local n = 0
    return function() n = n + 1; return n end, function() return n end, { reset = function() n = 0 end }
end
local up, read, t = counter()
up()
linda:send("k", { up, read, t })
local _, copy = linda:receive "k"
local up2, read2, t2 = copy[1], copy[2], copy[3]
up2()
up2()
check.eq(read2(), 3)
check.eq(read(), 1, "the original goes its own way")
t2.reset()
check.eq(read2(), 0)

-- in a lane, as upvalues of its body
local up, read = counter()
local ok, a, b = lanes.gen("*", function()
    up()
    up()
    return read(), up()
end)():join()
check.is_true(ok, a)
check.eq(a, 2)
check.eq(b, 3)
check.eq(read(), 0)

-- two variables of the same value are two
local function pair()
    local x, y = 0, 0
    return { incx = function() x = x + 1 end, incy = function() y = y + 1 end, get = function() return x, y end }
end
linda:send("k", pair())
local _, p = linda:receive "k"
p.incx()
p.incx()
p.incy()
check.gives(check.list(2, 1), p.get())

-- sent apart they are apart
local up, read = counter()
linda:send("k", up)
linda:send("k", read)
local _, up3 = linda:receive "k"
local _, read3 = linda:receive "k"
up3()
check.eq(read3(), 0)

check.done()
