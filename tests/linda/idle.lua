-- Blocked calls use no processor time
-- needs: linux
local check = require "check"
local lanes = require "lanes"
local lane = require "lane"
local process = require "process"
local linda = lanes.linda()
linda:limit("full", 0)

local blocked = {
    lanes.gen("*", function(l) return l:receive "x" end)(linda),
    lanes.gen("*", function(l) return l:receive(100, "x", "y", "z") end)(linda),
    lanes.gen("*", function(l) return l:receive_batched("b", 5) end)(linda),
    lanes.gen("*", function(l) return l:send("full", 1) end)(linda),
    lanes.gen("*", function() return require "lanes".sleep(100) end)(),
}
for _, h in ipairs(blocked) do
    lane.reaches(h, "waiting")
end
local before = process.time()
-- the main state waits too: in a receive, a sleep and a join
linda:receive(1, "x")
lanes.sleep(1)
blocked[1]:join(1)
local used = process.time() - before
check.is_true(used < 0.05, "used " .. used .. " s of processor time in 3 s")
for _, h in ipairs(blocked) do
    check.eq(h.status, "waiting")
    h:cancel("hard", 10)
    check.eq(h.status, "cancelled")
end

check.done()
