-- An error in the function of lanes.finally harms nobody
-- needs: lua<5.5
-- rc: 3
local lanes = require "lanes"
lanes.finally(error)
if warn then warn "@off" end -- the error is a warning; 5.5 shows warnings
io.stdout:write "ok\n"
io.stdout:flush()
os.exit(3, true)
