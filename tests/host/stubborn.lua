-- Universes with lanes that are stopped by hooks or not at all, closed beside others
-- host: yes
-- args: orders 4
-- args: together 2
-- args: threads 4
-- args: reload 4
local number = ...
local lanes = require "lanes"
lanes.configure { shutdown_timeout = 0.05 }
local linda = lanes.linda()

-- Looks at nothing.
lanes.gen("*", { name = "busy" }, function(l)
    l:send("ready", true)
    while true do end
end)(linda)
-- Swallows what it is stopped by.
lanes.gen("*", { name = "swallows" }, function(l)
    l:send("ready", true)
    while true do pcall(l.receive, l, "nothing comes") end
end)(linda)
-- A C function that does not return in time.
if number == 1 then
    lanes.gen("*", { name = "in C" }, function(l)
        l:send("ready", true)
        os.execute "sleep 0.4"
        l:send("ready", { late = true })
    end)(linda)
end
for _ = 1, number == 1 and 3 or 2 do assert(linda:receive(30, "ready")) end

return function()
    local h = lanes.gen("*", function(l, n) return n, l end)(linda, number)
    local ok, n, l = h:join(30)
    assert(ok and n == number and l == linda)
end
