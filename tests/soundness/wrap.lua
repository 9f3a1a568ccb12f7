-- coroutine.wrap in a lane: a finished or running coroutine is refused as the interpreter does it

local check = require "check"
local lanes = require "lanes"

local function body()
  local out = {}
  local f = coroutine.wrap(function() coroutine.yield(1) return 2 end)
  out[1], out[2] = f(), f()
  for i = 3, 5 do
    local ok, why = pcall(f)
    out[i] = tostring(ok) .. " " .. tostring(why):gsub("^.-:%d+: ", "")
  end
  -- called from inside itself, through others
  local g
  g = coroutine.wrap(function()
    local ok, why = pcall(coroutine.wrap(function() return g() end))
    coroutine.yield(tostring(ok))
    return "end"
  end)
  out[6], out[7] = g(), g()
  -- deep nesting ends with an error, not with a crash; LuaJIT itself crashes
  local function deeper(n) return coroutine.wrap(function() return deeper(n + 1) end)() end
  if not jit then out[8] = tostring((pcall(deeper, 1))) end
  return table.concat(out, "|")
end
local here = body()
check.eq(lanes.gen("*", body)()[1], here)
check.eq(here:find("cannot resume dead coroutine", 1, true) ~= nil, true)
check.done()
