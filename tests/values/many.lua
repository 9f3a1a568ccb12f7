-- Large tables, and thousands of values at once
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
local unpack = table.unpack or unpack

local big = {}
for i = 1, 200000 do big[i] = i end
for i = 1, 50000 do big["key " .. i] = i end
linda:send("k", big)
local _, got = linda:receive "k"
check.same(got, big)
check.eq(#got, 200000)
local _, through = lanes.gen("*", function(t) return t end)(big):join()
check.same(through, big)

for _, n in ipairs { 100, 1000, 5000 } do
    local values = {}
    for i = 1, n do values[i] = i % 7 == 0 and { i } or i end
    linda:send("k", unpack(values, 1, n))
    check.eq(linda:count "k", n)
    local got = check.list(linda:receive_batched("k", n))
    check.eq(got.n, n + 1)
    table.remove(got, 1)
    got.n = nil
    check.same(got, values)
    got = check.list(lanes.gen("*", function(...) return ... end)(unpack(values, 1, n)):join())
    check.eq(got.n, n + 1)
    table.remove(got, 1)
    got.n = nil
    check.same(got, values)
end

-- more than a Lua stack can hold is an error, and nothing is lost
linda:set "k"
for _ = 1, 200 do linda:send("k", unpack(big, 1, 6000)) end
local total = linda:count "k"
check.eq(total, 1200000)
check.raises("too many", linda.receive_batched, linda, "k", total)

check.done()
