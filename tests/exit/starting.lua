-- The main script ends while lanes start lanes
-- loop: 10
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

for i = 1, 3 do
    lanes.gen("*", function(l)
        local lanes = require "lanes"
        while true do
            lanes.gen("*", function(l) l:send("k", 1) end)(l):join()
        end
    end)(linda)
end
linda:receive(5, "k")

check.done()
