-- a hook cancel that comes while a value is packed cancels the lane, and is no error of the transfer
-- timeout: 60

local check = require "check"
local lanes = require "lanes"
for i = 1, 30 do
  local linda = lanes.linda()
  local h = lanes.gen("*", function()
    local t = {}
    for i = 1, 300 do t[i] = { i, function() return i end } end
    linda:send("up", true)
    while true do linda:set("k", t) end
  end)()
  linda:receive("up")
  local ok, why = h:cancel(i % 2 == 0 and "call" or "line", 1, 10)
  check.eq(tostring(ok) .. " " .. tostring(why), "true cancelled")
end
check.done()
