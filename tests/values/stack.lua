-- Calls on a stack that is almost full raise or work, and break nothing
-- timeout: 60
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
local gen = lanes.gen("base", function(v) return v end)

local function down(n)
    linda:set("k", { n, function() return n end })
    linda:get "k"
    return 1 + down(n + 1)
end
local ok, err = pcall(down, 1)
check.eq(ok, false)
check.is_true(tostring(err):find "stack" or tostring(err):find "overflow" or tostring(err):find "too many", tostring(err))

-- inside C calls, as far as they nest
local function nested(n)
    linda:set("k", { n })
    local got = select(2, linda:get "k")
    if got[1] ~= n then error "wrong value" end
    table.sort({ 1, 2 }, function(a, b) nested(n + 1) return a < b end)
end
ok = pcall(nested, 1)
check.eq(ok, false)

-- coroutines have stacks of their own
local depth = 0
local function inside()
    depth = depth + 1
    linda:send("c", depth)
    if depth < 150 then coroutine.wrap(inside)() end
    check.eq(gen(depth)[1], depth)
end
inside()
check.eq(linda:count "c", depth)

linda:set("k", "works")
check.gives(check.list(1, "works"), linda:get "k")

check.done()
