-- Requiring the module and doing nothing with it leaves the exit as it is
-- args: require
-- args: linda
-- args: lane
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
if arg[1] == "linda" then
    local l = lanes.linda()
    l:send("k", l) -- a linda in itself
end
if arg[1] == "lane" then lanes.gen("*", function() end)():join() end

check.done()
