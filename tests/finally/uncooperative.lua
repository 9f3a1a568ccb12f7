-- A lane that runs Lua code without end is stopped, and the function is told true
-- needs: nojit
local lanes = require "lanes".configure { shutdown_timeout = 0.2 }
lanes.finally(function(ended) print(ended) end)
local h = lanes.gen("*", function() while true do end end)()
repeat lanes.sleep(0.001) until h.status == "running"
