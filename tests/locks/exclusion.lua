-- Locks of genlock: acquire, try, release, and cancelled lindas
local check = require "check"
local lanes = require "lanes"

for _, key in ipairs { "lock", 42, true } do
    local l = lanes.linda()
    local lock = lanes.genlock(l, key)
    check.eq(lock(1), true)
    check.eq(lock(1, "try"), false)
    check.eq(l:count(key), 1)
    check.eq(lock(-1), true)
    check.eq(lock(1, "try"), true)
    check.eq(lock(-1), true)
    l:cancel()
    check.eq(lock(1), lanes.cancel_error)
    check.eq(lock(-1), lanes.cancel_error)
    check.eq(lanes.genlock(l, key), lanes.cancel_error)
end

local l = lanes.linda()
local semaphore = lanes.genlock(l, "s", 3)
check.eq(semaphore(2), true)
check.is_true(not semaphore(2, "try"))
check.eq(select(2, semaphore(2, "try")), "timeout")
check.eq(semaphore(1, "try"), true)
check.eq(semaphore(-3), true)
l:cancel()
check.eq(select(2, semaphore(1)), lanes.cancel_error)

-- Mutual exclusion.
local l = lanes.linda()
local lock = lanes.genlock(l, "m")
l:set("n", 0)
local lane = lanes.gen("", function()
    for _ = 1, 200 do
        lock(1)
        local _, n = l:get "n"
        l:set("n", n + 1)
        lock(-1)
    end
    return true
end)
local all = {}
for i = 1, 4 do all[i] = lane() end
for i = 1, 4 do check.eq(all[i][1], true) end
check.eq(select(2, l:get "n"), 800)
check.done()
