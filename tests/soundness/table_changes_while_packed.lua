-- a finalizer that changes the table that is being packed makes an error at the most
-- timeout: 60

local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
local function finalizer(f)
  if newproxy then
    local p = newproxy(true)
    getmetatable(p).__gc = f
    return p
  end
  return setmetatable({}, { __gc = f })
end
-- As eager a collector as can be; 5.5 has other words for it.
pcall(collectgarbage, "setpause", 100)
pcall(collectgarbage, "setstepmul", 1000000)

local t, armed
local function wreck()
  if not armed then return end
  for k in pairs(t) do t[k] = nil end
  for i = 1, 200 do t["n" .. i] = i end
end
for round = 1, 300 do
  t = {}
  for i = 1, 40 do t["k" .. i] = { i, function() return i end } end
  local keep = { finalizer(wreck), finalizer(wreck) }
  armed = true
  keep = nil
  local ok = pcall(linda.send, linda, "k", t)
  armed = false
  if ok then linda:receive(0, "k") end
  linda:set("k")
end
check.eq(linda:send(0, "k", "fine"), true)
check.done()
