-- Integers and floats stay what they are
-- needs: lua>=5.3
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

local values = {
    0, 0.0, 1, 1.0, -1, -1.0, math.maxinteger, math.mininteger, math.maxinteger + 0.0, 2 ^ 53, 1 << 53, (1 << 53) + 1,
    255, 256, 65535, 65536, 0x7fffffff, 0x80000000,
}
local _, back = lanes.gen("*", function(t) return t end)(values):join()
for i, v in ipairs(values) do
    linda:send("k", v, { [v] = v })
    local _, got, t = linda:receive_batched("k", 2)
    check.eq(got, v)
    check.eq(math.type(got), math.type(v))
    check.eq(math.type(t[v]), math.type(v))
    check.eq(math.type(next(t)), math.type((next { [v] = v })))
    check.eq(math.type(back[i]), math.type(v))
    check.eq(back[i], v)
end

check.done()
