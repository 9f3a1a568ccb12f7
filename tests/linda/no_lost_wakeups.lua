-- Many senders and receivers with short timeouts: every value arrives once
-- loop: 3
-- timeout: 60
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
local LANES, COUNT = 4, 2000
linda:limit("k", 3)

local senders, receivers = {}, {}
for s = 1, LANES do
    senders[s] = lanes.gen("*", function(l, s, n)
        for i = 1, n do
            -- abandoned sends are tried again: they must have sent nothing
            while not l:send(i % 3 == 0 and 0.0005 or 10, "k", (s - 1) * n + i) do end
        end
    end)(linda, s, COUNT)
    receivers[s] = lanes.gen("*", function(l)
        local got = {}
        while true do
            local key, v = l:receive(#got % 3 == 0 and 0.0005 or 10, "quit", "k")
            if key == "quit" then return got end
            if key then got[#got + 1] = v end
        end
    end)(linda)
end
for _, h in ipairs(senders) do
    check.gives(check.list(true), h:join(50))
end
-- all is sent; once the slot is empty, all is received
require "lane".becomes("the slot is empty", function() return linda:count "k" == 0 end)
for _ = 1, LANES do linda:send("quit", true) end
local seen, total = {}, 0
for _, h in ipairs(receivers) do
    local ok, got = h:join(10)
    check.is_true(ok, got)
    for _, v in ipairs(got) do
        check.eq(seen[v], nil, "came twice: " .. v)
        seen[v] = true
        total = total + 1
    end
end
check.eq(total, LANES * COUNT)

check.done()
