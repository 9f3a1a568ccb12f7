-- The main script ends while lanes are blocked in every kind of call
-- loop: 10
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
linda:limit("full", 0)

local bodies = {
    function(l) l:receive "x" end,
    function(l) l:receive(100, "x", "y") end,
    function(l) l:receive_batched("x", 3) end,
    function(l) l:send("full", 1) end,
    function() require "lanes".sleep() end,
    function() require "lanes".sleep(100) end,
    function(l) pcall(l.receive, l, "x"); l:receive "x" end,
    function(l) set_finalizer(function() l:send("y", 1) end); l:receive "x" end,
    function(l) require "lanes".gen("*", function(l) l:receive "x" end)(l):join() end,
}
handles = {}
for round = 1, 3 do
    for i, body in ipairs(bodies) do
        local h = lanes.gen("*", body)(linda)
        if round == 1 then handles[i] = h end -- the others are dropped
    end
end

check.done()
