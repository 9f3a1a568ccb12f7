-- os.exit from the main script, with and without closing the state
-- args: 0
-- args: 0 close
-- loop: 10
local lanes = require "lanes"
local linda = lanes.linda()
for i = 1, 5 do
    lanes.gen("*", function(l) l:receive "x" end)(linda)
    lanes.gen("*", function(l) while true do l:send("k", l); l:receive "k" end end)(linda)
end
print "ok"
io.flush()
if arg[2] then os.exit(tonumber(arg[1]), true) else os.exit(tonumber(arg[1])) end
