-- lanes.finally: what it accepts, and where
local check = require "check"
local lanes = require "lanes"

check.results(0, lanes.finally(print))
check.results(0, lanes.finally(nil))
check.raises("finalizer should be a function", lanes.finally, 42)
check.raises("too many arguments", lanes.finally, print, 1)
local h = lanes.gen("*", function() require "lanes".finally(print) end)()
local _, err = h:join()
check.is_true(err:find("lanes.finally called from inside a lane", 1, true))
check.done()
