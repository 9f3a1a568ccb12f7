-- An error in the main script ends with status 1 and its message, lanes or not
-- rc: 1
-- stderr: error_in_main\.lua:\d+: main fails
-- loop: 5
local lanes = require "lanes"
local linda = lanes.linda()
for i = 1, 5 do
    lanes.gen("*", function(l) l:receive "x" end)(linda)
    lanes.gen("*", function(l) while true do l:send("k", l); l:receive "k" end end)(linda)
end
print "ok"
error "main fails"
