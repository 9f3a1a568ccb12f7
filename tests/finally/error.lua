-- An error in the function of lanes.finally harms nobody
-- needs: lua>=5.2 | luajit
-- rc: 3
local lanes = require "lanes"
lanes.finally(error)
io.stdout:write "ok\n"
io.stdout:flush()
os.exit(3, true)
