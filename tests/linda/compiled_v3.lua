-- Many sends and receives in a loop do in 3.x what a few do
-- load: lanes.v3
local check = require "check"
local lanes = require "lanes"

local function cases()
  local l = lanes.linda()
  for _, value in ipairs { "", "x", ("long"):rep(50), 1, -0.5, true, false } do
    check.gives(check.list(true), l:send("k", value))
    check.gives(check.list("k", value), l:receive("k"))
    check.gives(check.list(true), l:send(0, "k", value))
    check.gives(check.list("k", value), l:receive(0, "k"))
  end
  -- Below zero is for ever.
  check.gives(check.list(true), l:send(-1, "k", 6))
  check.gives(check.list("k", 6), l:receive(-1, "k"))
  -- A batch.
  check.gives(check.list(true), l:send("k", 1, 2, 3))
  check.gives(check.list("k", 1, 2), l:receive(l.batched, "k", 2, 2))
  check.gives(check.list("k", 3), l:receive("k"))
  check.gives(check.list(), l:receive(0, "k"))
  l:limit("k", 1)
  check.gives(check.list(true), l:send(0, "k", 1))
  check.gives(check.list(false), l:send(0, "k", 2))
  check.gives(check.list("k", 1), l:receive(0, "k"))
end

cases()
local l = lanes.linda()
for i = 1, 1000 do
  l:send("k", i)
  local key, value = l:receive("k")
  if key ~= "k" or value ~= i then error("round " .. i) end
  l:send("k", "text" .. i)
  key, value = l:receive(1, "k")
  if key ~= "k" or value ~= "text" .. i then error("text, round " .. i) end
end
for _ = 1, 20 do cases() end

check.done()
