-- The options of lanes.configure(): what they may be, and which generation of
-- the interface they tell of.

local core = ...
local error, pairs, select, tostring, type = error, pairs, select, tostring, type

-- Each test answers what is wrong with a value, or nothing.
local function anything() end

local function boolean(v)
  if type(v) ~= "boolean" then return "not a boolean" end
end

local function number(low, high)
  return function(v)
    if type(v) ~= "number" then return "not a number" end
    if not (v >= low and v <= high) then return "value out of range" end
  end
end

local function one_of(...)
  local known = {}
  for i = 1, select("#", ...) do known[select(i, ...)] = true end
  return function(v)
    if type(v) ~= "string" then return "not a string" end
    if not known[v] then return "unknown value" end
  end
end

local function allocator(v)
  if type(v) == "function" then
    -- The text stands for itself.
    local upvalues = core.c_upvalues(v)
    if not upvalues then return "Bad config.allocator, must be a C function", true end
    if upvalues > 0 then return "config.allocator() shouldn't have upvalues", true end
    local definition = v()
    local size = core.userdata_size(definition)
    if not size then return "Bad config.allocator(), the provided value is not a userdata", true end
    if size < core.allocator_size then return "Bad config.allocator(), the provided value is too small", true end
  elseif v ~= "protected" then
    return type(v) == "string" and "unknown value" or "not a function"
  end
end

local function state_create(generation)
  return function(v)
    if type(v) ~= "function" then return "not a function" end
    if generation == 3 and (core.c_upvalues(v) or 0) > 0 then
      return "on_state_create shouldn't have upvalues", true
    end
  end
end

local function wake_period(v)
  if v == "never" then return end
  if type(v) == "string" then return "unknown value" end
  if type(v) ~= "number" then return "not a number" end
  if not (v > 0) then return "value out of range" end
end

local function fallback(v)
  if v ~= core.null and v ~= "decay" then return "must be nil, lanes.null or 'decay'" end
end

local function api(v)
  if v ~= 2 and v ~= 3 and v ~= 4 then return "unknown value" end
end

-- Options that only shaped the storage of the original have no effect, but are
-- checked all the same.
local known = {
  [3] = {
    api = api, allocator = allocator, internal_allocator = one_of("libc", "allocator"),
    keepers_gc_threshold = number(-1 / 0, 1 / 0), on_state_create = state_create(3),
    demote_full_userdata = anything, nb_keepers = number(1, 1 / 0), protect_allocator = anything,
    shutdown_timeout = number(0, 1 / 0), track_lanes = anything, verbose_errors = anything, with_timers = anything,
  },
  [4] = {
    api = api, allocator = allocator, internal_allocator = one_of("libc", "allocator"),
    keepers_gc_threshold = number(-1 / 0, 1 / 0), on_state_create = state_create(4),
    convert_fallback = fallback, convert_max_attempts = number(1, 9), linda_wake_period = wake_period,
    nb_user_keepers = number(0, 100), shutdown_timeout = number(0, 3600),
    strip_functions = boolean, track_lanes = boolean, verbose_errors = boolean, with_timers = boolean,
  },
}

-- Options that only one generation has tell which one a program was written for.
local hints = {
  nb_keepers = 3, demote_full_userdata = 3, protect_allocator = 3,
  nb_user_keepers = 4, strip_functions = 4, convert_fallback = 4, convert_max_attempts = 4, linda_wake_period = 4,
}

local options = {}

-- The generation that the settings ask for; raises for whoever called the
-- caller when they contradict each other or what was chosen before.
function options.choose(settings)
  local wanted = settings.api
  if wanted ~= nil then
    if api(wanted) then return core.settle(core.generation or 4) end -- the check says what is wrong
    local settled, why = core.settle(wanted)
    if not settled then error(why, 3) end
    return settled
  end
  for key in pairs(settings) do
    local hint = hints[key]
    if hint then
      if wanted and wanted ~= hint then
        error("the options of lanes.configure() are of Lanes 3.x and of 4.x: say which with 'api'", 3)
      end
      wanted = hint
    end
  end
  -- What was chosen expressly counts more than a hint.
  return core.settle(core.generation or wanted or 4)
end

-- Raises for whoever called the caller.
function options.check(settings, generation)
  for key, value in pairs(settings) do
    local test = known[generation == 3 and 3 or 4][key]
    if not test then
      if generation == 3 then error("Unknown parameter '" .. tostring(key) .. "' in configure options", 3) end
      error("Unknown setting [" .. tostring(key) .. "] = " .. tostring(value), 3)
    end
    local why, whole = test(value)
    if whole then error(why, 3) end
    if why and generation == 3 then error("Bad " .. key .. ": " .. tostring(value), 3) end
    if why then error("Bad parameter " .. key .. ": " .. tostring(value) .. " (" .. why .. ")", 3) end
  end
end

-- What lanes need to know of the settings of their master.
function options.inherited(settings)
  return {
    nb_user_keepers = settings.nb_user_keepers,
    linda_wake_period = settings.linda_wake_period,
  }
end

return options
