-- A lane whose handle was dropped goes on; what it returns is dropped with it
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

for i = 1, 20 do
    lanes.gen("*", function(l, i)
        l:receive(20, "go")
        l:send("done", i)
        return { "result", l }
    end)(linda, i)
end
collectgarbage()
collectgarbage()
for i = 1, 20 do linda:send("go", true) end
local sum = 0
for i = 1, 20 do sum = sum + select(2, linda:receive(20, "done")) end
check.eq(sum, 210)

check.done()
