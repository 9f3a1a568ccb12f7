-- lanes.genlock and lanes.genatomic: locks and counters in the slot of a linda.

local core = ...
local error, type = error, type
local cancel_error, is_linda = core.cancel_error, core.is_linda

-- N times true.
local function trues(n)
  if n >= 1 then return true, trues(n - 1) end
end

-- Whether a call on a linda was cancelled: 3.x answers `cancel_error`, 4.x
-- nil and `cancel_error`.
local function cancelled(a, b) return a == cancel_error or a == nil and b == cancel_error end

local function check(linda)
  if not is_linda(linda) then error("bad argument #1: expecting a Linda", 3) end
end

local function check_count(m)
  if type(m) ~= "number" then error("bad argument #1: number expected, got " .. type(m), 3) end
end

-- Acquiring M sends M values into a slot with a limit of N; releasing takes
-- them out again. Both are one operation: never a part of it.
local genlock = {}

genlock[2] = function(linda, key, n)
  check(linda)
  linda:set(key)
  if n then linda:limit(key, n) end
  return function(m)
    check_count(m)
    if m > 0 then
      linda:send(nil, key, trues(m))
    else
      for _ = 1, -m do linda:receive(nil, key) end
    end
  end
end

genlock[3] = function(linda, key, n)
  check(linda)
  if cancelled(linda:set(key)) or cancelled(linda:limit(key, n or 1)) then return cancel_error end
  return function(m, mode)
    check_count(m)
    if m > 0 then
      return linda:send(mode == "try" and 0 or nil, key, trues(m))
    elseif m == 0 then
      return true
    end
    local taken = linda:receive(nil, linda.batched, key, -m)
    if taken == cancel_error then return cancel_error end
    return taken ~= nil
  end
end

genlock[4] = function(linda, key, n)
  check(linda)
  n = n or 1
  if cancelled(linda:set(key)) or cancelled(linda:limit(key, n)) then return cancel_error end
  return function(m, mode)
    check_count(m)
    if m > 0 then
      local done, why = linda:send(mode == "try" and 0 or nil, key, trues(m))
      if done then return true end
      if n > 1 and why == cancel_error then return nil, why end
      if n > 1 then return false, why end
      if why == cancel_error then return cancel_error end
      return false
    elseif m == 0 then
      return true
    end
    local taken, why = linda:receive_batched(nil, key, -m)
    if taken == nil and why == cancel_error then return cancel_error end
    return taken ~= nil
  end
end

-- The first value is in the slot when this returns; each call adds to it, and
-- no addition of another lane is lost.
local function genatomic(linda, key, initial)
  check(linda)
  if initial == nil then initial = 0.0 end
  if cancelled(linda:set(key, initial)) then return cancel_error end
  return function(diff)
    if diff == nil then diff = 1.0 end
    return linda:atomic_add(key, diff)
  end
end

return { genlock = genlock, genatomic = genatomic }
