-- A panic while the program ends: it ends all the same, with its own status
-- needs: faults
-- env: LUA_CPATH={built}/faults/?.so;{built}/?.so
-- env: RUST_BACKTRACE=0
-- stderr: panicked at
-- args: here 1
-- args: here 2
-- args: here 3
-- args: here 4
-- args: here 5
-- args: here 6
-- args: here 7
-- args: here 8
-- args: here 9
-- args: elsewhere 1
-- args: elsewhere 2
-- args: elsewhere 3
-- args: elsewhere 4
-- args: elsewhere 5
-- args: elsewhere 6
-- args: elsewhere 7
-- args: elsewhere 8
-- rc: 1
-- valgrind: yes
local where, n = ...
local check = require "check"
local faults = require "lanes.faults"
local lanes = require "lanes".configure { shutdown_timeout = 1 }
local linda = lanes.linda()
local handles = {}
for i = 1, 2 do
    handles[i] = lanes.gen("*", function(l)
        set_finalizer(function() l:send("final", 1) end)
        l:send("runs", { l })
        l:receive "nothing comes"
    end)(linda)
    linda:receive("runs")
end
require "lane".reaches(handles[1], "waiting")
require "lane".reaches(handles[2], "waiting")
check.done()
io.stdout:flush()
faults[where == "here" and "arm" or "arm_elsewhere"](tonumber(n))
-- What every interpreter ends with a closed state and a status of its own.
error "the last error"
