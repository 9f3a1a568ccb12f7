-- Everything at once: traffic, changing limits and restrictions, dumps, cancellations of linda and lanes
-- loop: 3
-- timeout: 60
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

local function worker(l, seed)
    local state = seed
    local function random(n) state = (state * 16807) % 2147483647 return state % n + 1 end
    local keys = { "a", "b", "c", 1, 2, true }
    local calls = 0
    while not cancel_test(true) do
        calls = calls + 1
        local key, what = keys[random(#keys)], random(14)
        -- (pcall: restricted keys raise)
        if what <= 3 then pcall(l.send, l, random(2) == 1 and 0 or 0.001, key, { key, l }, calls)
        elseif what <= 6 then pcall(l.receive, l, 0.001, key, keys[random(#keys)])
        elseif what == 7 then pcall(l.receive_batched, l, 0.001, key, random(3), 3)
        elseif what == 8 then pcall(l.set, l, key, 1, { 2 }, 3)
        elseif what == 9 then pcall(l.get, l, key, random(3))
        elseif what == 10 then l:limit(key, random(4) == 1 and "unlimited" or random(5))
        elseif what == 11 then l:restrict(key, ({ "none", "none", "set/get", "send/receive" })[random(4)])
        elseif what == 12 then l:dump()
        elseif what == 13 then l:count() l:wake()
        else l:cancel(({ "both", "read", "write" })[random(3)]) l:cancel "none" end
        if calls % 50 == 0 then pcall(l.set, l, "a") end
    end
    return calls
end

local handles = {}
for i = 1, 6 do handles[i] = lanes.gen("*", worker)(linda, i * 7919) end
for round = 1, 20 do
    require "lane".pause(0.02)
    -- one is replaced by another
    local i = round % 6 + 1
    local ok, status = handles[i]:cancel(round % 2 == 0 and "soft" or "hard", 10, true)
    check.eq(ok, true)
    check.is_true(status == "done" or status == "cancelled", tostring(status) .. " " .. tostring(handles[i][-1]))
    handles[i] = lanes.gen("*", worker)(linda, round * 104729)
end
for _, h in ipairs(handles) do check.eq(h:cancel("hard", 10), true) end
-- and the linda is as good as new
linda:cancel "none"
for _, key in ipairs { "a", "b", "c", 1, 2, true } do
    linda:restrict(key, "none")
    linda:limit(key, "unlimited")
    linda:set(key)
    check.gives(check.list(true), linda:send(0, key, "v"))
    check.gives(check.list(key, "v"), linda:receive(0, key))
end

check.done()
