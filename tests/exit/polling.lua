-- Lanes that poll cancel_test end when the main script does, their finalizers included
-- loop: 3
local lanes = require "lanes"

for i = 1, 3 do
    lanes.gen("*", function()
        set_finalizer(function() io.write "finalizer\n"; io.flush() end)
        while not cancel_test(true) do end
    end)()
end
require "lane".pause(0.05)
print "main ends"
io.flush()
