-- Values leave a slot in the order in which they came, and slots do not mix
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

for i = 1, 1000 do
    linda:send("odd and even", i)
    linda:send(nil, i % 2, i)
end
for i = 1, 1000 do
    check.gives(check.list("odd and even", i), linda:receive(0, "odd and even"))
    check.gives(check.list(i % 2, i), linda:receive(0, i % 2))
end

-- several values of one send stay together and in order
linda:send("k", 1, 2, 3)
linda:send("k", 4, 5)
check.gives(check.list("k", 1, 2, 3, 4, 5), linda:receive_batched(0, "k", 5))

-- set replaces them all
linda:send("k", 1, 2, 3)
linda:set("k", "a", "b")
check.gives(check.list("k", "a", "b"), linda:receive_batched(0, "k", 1, 10))

check.done()
