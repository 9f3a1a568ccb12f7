-- A waiter that leaves passes its turn on: no value lies there while somebody waits
-- loop: 2
-- timeout: 60
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

-- One patient receiver, and impatient ones whose timeouts end about when values
-- come. If a wake-up went to one that was just leaving and were lost, the patient
-- one would sleep on although its value is there.
local impatient = {}
for i = 1, 3 do
    impatient[i] = lanes.gen("*", function(l)
        local n = 0
        while not l:receive(0, "stop") do
            if l:receive(0.0003, "k") then n = n + 1 end
            if n > 0 then l:send("back", n); n = 0 end
        end
    end)(linda)
end
local patient = lanes.gen("*", function(l, rounds)
    local n = 0
    while true do
        local key = l:receive(20, "quit", "k")
        if not key then error "a value or the end should have come" end
        if key == "quit" then return n end
        n = n + 1
        l:send("back", 1)
    end
end)(linda)
for i = 1, 3000 do
    linda:send("k", i)
    local key = linda:receive(15, "back")
    check.is_true(key, "value " .. i .. " reached nobody")
end
for _ = 1, 3 do linda:send("stop", true) end
linda:send("quit", true)
for _, h in ipairs(impatient) do check.is_true(h:join(10)) end
check.is_true(patient:join(10))

check.done()
