-- Many sends and receives in a loop do in 2.x what a few do
-- load: lanes.v2
local check = require "check"

local function cases()
  local l = lanes.linda()
  for _, value in ipairs { "", "x", ("long"):rep(50), 1, -0.5, true, false } do
    check.gives(check.list(true), l:send("k", value))
    check.gives(check.list(value, "k"), l:receive("k"))
    check.gives(check.list(true), l:send(0, "k", value))
    check.gives(check.list(value, "k"), l:receive(0, "k"))
  end
  -- A string that looks like a number is a timeout here.
  check.gives(check.list(true), l:send("0", "k", 5))
  check.gives(check.list(5, "k"), l:receive("0.5", "k"))
  check.gives(check.list(), l:receive("0", "k"))
  check.raises("key", l.send, l, "1", {})
  -- Below zero is for ever.
  check.gives(check.list(true), l:send(-1, "k", 6))
  check.gives(check.list(6, "k"), l:receive(-1, "k"))
  -- A batch.
  check.gives(check.list(true), l:send("k", 1, 2, 3))
  check.gives(check.list(1, 2), l:receive(l.batched, "k", 2))
  check.gives(check.list(3, "k"), l:receive("k"))
  check.gives(check.list(), l:receive(0, "k"))
  l:limit("k", 1)
  check.gives(check.list(true), l:send(0, "k", 1))
  check.gives(check.list(false), l:send(0, "k", 2))
  check.gives(check.list(1, "k"), l:receive(0, "k"))
end

cases()
local l = lanes.linda()
for i = 1, 1000 do
  l:send("k", i)
  local value, key = l:receive("k")
  if key ~= "k" or value ~= i then error("round " .. i) end
  l:send("k", "text" .. i)
  value, key = l:receive(1, "k")
  if key ~= "k" or value ~= "text" .. i then error("text, round " .. i) end
end
for _ = 1, 20 do cases() end

check.done()
