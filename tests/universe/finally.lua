-- lanes.finally: the last function that runs, after all lanes
local lanes = require "lanes"
assert(not pcall(lanes.finally, 1))
lanes.finally(function() print "replaced: does not run" end)
lanes.finally(function(all_ended) print("finally", all_ended) end)
lanes.gen("*", function()
    set_finalizer(function() io.write "lane ends\n" io.flush() end)
    require "lanes".sleep()
end)()
local ok, err = lanes.gen("*", function() require "lanes".finally(print) end)():join()
print(ok, (err:gsub("^.*lanes.finally", "lanes.finally")))
require "lane".pause(0.05)
print "main ends"
io.flush()
