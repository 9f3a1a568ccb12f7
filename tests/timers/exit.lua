-- The program ends although timers are set
-- loop: 5
-- valgrind: yes
local check = require "check"
local lanes = require "lanes".configure { with_timers = true }
local linda = lanes.linda()
for i = 1, 20 do lanes.timer(linda, "t" .. i, i % 2 == 0 and 1000 or 0.001, 0.001) end
linda:receive(10, "t1")

check.done()
