-- Programs of the Lanes 2.x age were written for Lua 5.1, whose string.format
-- cuts a fraction off where an integer is asked for. From 5.3 on that is an
-- error, so states of that generation get the old behaviour back.

local string, math_type, select, type = string, math.type, select, type
local format, gmatch = string.format, string.gmatch

local function cut(n)
  if math_type(n) ~= "float" or n ~= n or n >= 2^63 or n < -2^63 then return n end
  return n >= 0 and n // 1 | 0 or -(-n // 1) | 0
end

local function arguments(conversions, v, ...)
  local conversion = conversions()
  if conversion == nil then return v, ... end
  if type(v) == "number" and ("dioxXc"):find(conversion, 1, true) then v = cut(v) end
  if select("#", ...) == 0 then return v end
  return v, arguments(conversions, ...)
end

function string.format(text, ...)
  if type(text) ~= "string" or select("#", ...) == 0 then return format(text, ...) end
  return format(text, arguments(gmatch(text:gsub("%%%%", ""), "%%[-+ #0-9.]*(%a)"), ...))
end
