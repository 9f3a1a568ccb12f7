-- lanes.timer and lanes.timers.

local core = ...
local error = error

local timers = { timers = core.timers }

function timers.timer(generation)
  if generation ~= 2 then return core.timer end
  return function(linda, key, when, period)
    if when == nil then error("bad argument #3 to 'timer' (number or table expected)", 2) end
    return core.timer(linda, key, when, period)
  end
end

return timers
