-- a long chain of lindas in messages is let go of without recursion

local check = require "check"
local lanes = require "lanes"
local first = lanes.linda()
local last = first
for _ = 1, 100000 do
  local next = lanes.linda()
  last:send("next", next)
  last = next
end
first, last = nil, nil
collectgarbage() collectgarbage()
check.done()
