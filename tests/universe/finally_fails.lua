-- An error in the finally function does no harm
-- loop: 3
local lanes = require "lanes"
lanes.gen("*", function() require "lanes".sleep() end)()
lanes.finally(error)
if warn then warn "@off" end -- the error is a warning; 5.5 shows warnings
print "ok"
