-- The main script ends before its lanes have started
-- loop: 20
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

for i = 1, 8 do
    lanes.gen("*", function(l, i)
        l:send("k", i)
        l:receive "x"
    end)(linda, i)
end

check.done()
