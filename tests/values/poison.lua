-- A message that the receiver cannot rebuild raises there, and the next one comes through
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

linda:send("k", { nested = { io.write } }, "second")
linda:send("k", io.open, "third", io.lines, { 1 })
local h = lanes.gen("base", function(l)
    local found = {}
    for i = 1, 6 do
        local ok, key, value = pcall(l.receive, l, 0, "k")
        found[i] = ok and (value or "empty") or "raised"
    end
    return found
end)(linda)
local ok, found = h:join(10)
check.is_true(ok, found)
check.same(found, { "raised", "second", "raised", "third", "raised", { 1 } })
check.eq(linda:count "k", 0)

-- get and dump raise too, take nothing, and the linda works on
linda:send("k", io.write, "after")
h = lanes.gen("base", function(l)
    local got = pcall(l.get, l, "k", 2)
    local dumped = pcall(l.dump, l)
    local batch = pcall(l.receive_batched, l, "k", 1)
    return got, dumped, batch, l:receive(0, "k")
end)(linda)
check.gives(check.list(true, false, false, false, "k", "after"), h:join(10))

-- thousands of faults leave nothing behind that breaks
for _ = 1, 2000 do linda:send("k", io.write) end
h = lanes.gen("base", function(l)
    local n = 0
    while l:count "k" > 0 do
        if not pcall(l.receive, l, "k") then n = n + 1 end
    end
    return n
end)(linda)
check.gives(check.list(true, 2000), h:join(10))

check.done()
