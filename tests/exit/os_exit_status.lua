-- os.exit gives its own status
-- args: close
-- args: plain
-- rc: 7
-- loop: 5
local lanes = require "lanes"
local linda = lanes.linda()
handle = lanes.gen("*", function(l) l:receive "x" end)(linda)
print "ok"
io.flush()
if arg[1] == "close" then os.exit(7, true) else os.exit(7) end
