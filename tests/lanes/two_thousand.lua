-- 2,000 lanes alive at once, which end in all ways
-- timeout: 60
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
local COUNT = 2000

local gen = lanes.gen("string", function(l, i)
    l:send("here", i)
    local _, order = l:receive("order " .. i)
    return i, order
end)
local handles = {}
for i = 1, COUNT do handles[i] = gen(linda, i) end
local seen, sum = 0, 0
while seen < COUNT do
    local _, i = linda:receive(30, "here")
    seen, sum = seen + 1, sum + i
end
check.eq(sum, COUNT * (COUNT + 1) / 2)
for i = 1, COUNT do
    local status = handles[i].status
    check.is_true(status == "waiting" or status == "running", status)
end

-- A quarter each: by a message, by a request, without a handle, at the end of
-- the program.
for i = 1, COUNT, 4 do linda:send("order " .. i, "go") end
for i = 2, COUNT, 4 do check.is_true(handles[i]:cancel("hard", 0) ~= nil) end
for i = 1, COUNT, 4 do check.gives(check.list(true, i, "go"), handles[i]:join(30)) end
for i = 2, COUNT, 4 do check.gives(check.list(nil, lanes.cancel_error), handles[i]:join(30)) end
for i = 3, COUNT, 4 do handles[i] = nil end
collectgarbage()
collectgarbage()
check.done()
