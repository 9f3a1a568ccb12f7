-- The last function given to lanes.finally runs once, when all lanes have ended, with everything still good
local check = require "check"
local lanes = require "lanes"

lanes.finally(function() print "must not run" end)
local l = lanes.linda()
lanes.finally(function(ended)
    local later = lanes.linda { name = "later" }
    l:set("k", 1)
    print("ended", ended, l:count "k", tostring(later))
end)
local made_afterwards = lanes.linda()
lanes.gen("*", function()
    set_finalizer(function() io.write("lane over\n") io.flush() end)
    l:receive "never"
end)()
repeat lanes.sleep(0.001) until true
made_afterwards:set("k", 1)
