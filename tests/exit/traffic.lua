-- The main script ends while lanes send and receive
-- loop: 20
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
linda:limit("k", 10)

for i = 1, 2 do
    lanes.gen("*", function(l)
        while true do l:send("k", { "a table", l }, "text") end
    end)(linda)
    lanes.gen("*", function(l)
        while true do l:receive("x", "k") end
    end)(linda)
end
linda:receive(0.02, "nothing")

check.done()
