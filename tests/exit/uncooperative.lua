-- A lane that never looks does not keep the process from ending, with its own status
-- timeout: 10
-- rc: 3
local lanes = require "lanes".configure { shutdown_timeout = 0.1 }
lanes.gen("*", function() while true do end end)()
lanes.gen("*", function() while true do pcall(error) end end)()
require "lane".pause(0.05)
print "ok"
io.flush()
os.exit(3)
