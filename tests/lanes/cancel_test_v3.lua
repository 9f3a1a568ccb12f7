-- cancel_test in Lanes 3.x is true or false
-- load: lanes.v3
local check = require "check"
local lanes = require "lanes".configure()
local list, gives = check.list, check.gives
local linda = lanes.linda()

gives(list(false), lanes.gen("*", function() return cancel_test() end)():join())
for _, mode in ipairs { "soft", "hard" } do
    local h = lanes.gen("*", function(l)
        l:send("started", true)
        while not cancel_test() do end
        return cancel_test()
    end)(linda)
    linda:receive(10, "started")
    h:cancel(mode)
    gives(list(true), h:join(10))
end

check.done()
