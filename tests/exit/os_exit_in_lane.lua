-- os.exit from a lane ends the process with its status, whatever the others do
-- rc: 5
-- loop: 10
local lanes = require "lanes"
local linda = lanes.linda()
for i = 1, 3 do
    lanes.gen("*", function(l) l:receive "x" end)(linda)
    lanes.gen("*", function(l) while true do l:send("k", l); l:receive "k" end end)(linda)
end
lanes.gen("*", function()
    print "ok"
    io.flush()
    os.exit(5)
end)():join()
