-- lanes.linda, once per generation.

local core = ...
local error, select, type = error, select, type

local make = {}

make[2] = function() return function() return (core.linda()) end end

-- linda([name [, group]])
make[3] = function()
  return function(...)
    local name
    if select("#", ...) > 2 then error("too many arguments", 2) end
    for i = 1, select("#", ...) do
      local v = select(i, ...)
      if type(v) == "string" and i == 1 then
        name = v
      elseif type(v) ~= "number" then
        error("wrong parameter (should be a string or a number)", 2)
      end
    end
    return (core.linda(name))
  end
end

local function check_close_handler(handler)
  if type(handler) == "function" then return end
  local meta = (type(handler) == "table" or type(handler) == "userdata") and core.metatable(handler)
  if not meta and type(handler) == "table" then return "__close handler is not callable" end
  if not meta then return "__close handler is not a function" end
  if meta.__call == nil then return "__close handler is not callable" end
end

-- linda() or linda{ name =, group =, wake_period =, close_handler = }
make[4] = function(settings)
  local default_period = settings.linda_wake_period
  local groups = settings.nb_user_keepers or 0
  return function(...)
    local given = select("#", ...)
    if given > 1 then error("too many arguments", 2) end
    local t = ...
    if given == 0 then
      t = { group = 0 }
    elseif type(t) ~= "table" then
      error("expecting a table", 2)
    end
    local name, period, group, close = t.name, t.wake_period, t.group, t.close_handler
    if name == "auto" then
      name = true -- where it was made
    elseif name ~= nil and type(name) ~= "string" then
      error("name is not a string", 2)
    end
    if period == nil then period = default_period end
    if period == "never" then
      period = nil
    elseif period ~= nil then
      if type(period) ~= "number" then error("invalid wake_period", 2) end
      if not (period > 0) then error("wake_period must be > 0", 2) end
    end
    if group == nil and groups > 0 then error("Group is mandatory in multiple Keeper scenarios", 2) end
    if group ~= nil then
      if type(group) ~= "number" then error("group is not a number", 2) end
      if not (group >= 0 and group <= groups) then error("group out of range", 2) end
    end
    if not core.closes then
      close = nil
    elseif close ~= nil then
      local why = check_close_handler(close)
      if why then error(why, 2) end
    end
    local linda = core.linda(name, period, close)
    return linda
  end
end

return { make = make }
