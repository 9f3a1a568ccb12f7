-- The module table of lanes, built upon the functions in `core`.
--
-- Runs once in each Lua state that requires lanes, with `core` as its
-- argument. What differs between the generations of the interface and is not
-- an outcome of linda operations or joins stands here.

local core = ...

local error, getmetatable, pairs, select, setmetatable, tostring, type =
  error, getmetatable, pairs, select, setmetatable, tostring, type

local ABOUT = {
  author = "the rlanes authors",
  description = "Running multiple Lua states in parallel",
  license = "MIT",
  copyright = "Copyright (c) 2026 the rlanes authors",
  version = core.version,
}

-- Options of a universe ------------------------------------------------------

local function boolean(v) if type(v) ~= "boolean" then return "not a boolean" end end

local function number(low, high)
  return function(v)
    if type(v) ~= "number" then return "not a number" end
    if not (v >= low and v <= high) then return "value out of range" end
  end
end

local function one_of(...)
  local known = {}
  for i = 1, select("#", ...) do known[select(i, ...)] = true end
  return function(v) if not known[v] then return "unknown value" end end
end

local anything = function() end

-- What each generation accepts. Options that only shaped the storage of the
-- original have no effect here, but are checked all the same.
local common = {
  api = one_of(2, 3, 4),
  allocator = function(v) if v ~= "protected" and type(v) ~= "function" then return "unknown value" end end,
  internal_allocator = one_of("libc", "allocator"),
  keepers_gc_threshold = function(v) if type(v) ~= "number" then return "not a number" end end,
  on_state_create = function(v) if type(v) ~= "function" then return "not a function" end end,
}

local options = {
  [3] = {
    demote_full_userdata = anything, nb_keepers = number(1, 1e9), protect_allocator = anything,
    shutdown_timeout = number(0, 1e9), track_lanes = anything, verbose_errors = anything, with_timers = anything,
  },
  [4] = {
    convert_fallback = function(v)
      if v ~= core.null and v ~= "decay" then return "must be nil, lanes.null or 'decay'" end
    end,
    convert_max_attempts = number(1, 9),
    linda_wake_period = function(v)
      if v == "never" then return end
      if type(v) ~= "number" then return "not a number" end
      if not (v > 0) then return "value out of range" end
    end,
    nb_user_keepers = number(0, 100),
    shutdown_timeout = number(0, 3600),
    strip_functions = boolean, track_lanes = boolean, verbose_errors = boolean, with_timers = boolean,
  },
}
for key, check in pairs(common) do options[3][key], options[4][key] = check, check end

-- Keys that only one generation has tell which one a program was written for.
local hints = {
  nb_keepers = 3, demote_full_userdata = 3, protect_allocator = 3,
  nb_user_keepers = 4, strip_functions = 4, convert_fallback = 4, convert_max_attempts = 4, linda_wake_period = 4,
}

local function choose(settings)
  local generation = settings.api
  if generation == nil then
    for key in pairs(settings) do
      local hint = hints[key]
      if hint then
        if generation and generation ~= hint then
          error("the options of lanes.configure() are of Lanes 3.x and of 4.x: say which with 'api'", 3)
        end
        generation = hint
      end
    end
  end
  if generation == nil then return core.settle(core.generation or 4) end
  if not one_of(2, 3, 4)(generation) then
    local settled, why = core.settle(generation)
    if not settled and settings.api then error(why, 3) end
    return settled or core.generation
  end
  return core.settle(core.generation or 4) -- the check below says what is wrong
end

local function check(settings, generation)
  local known = options[generation] or options[4]
  for key, value in pairs(settings) do
    local test = known[key]
    if not test then
      if generation == 3 then error("Unknown parameter '" .. tostring(key) .. "' in configure options", 3) end
      error("Unknown setting [" .. tostring(key) .. "] = " .. tostring(value), 3)
    end
    local why = test(value)
    if why then
      if generation == 3 then error("Bad " .. key .. ": " .. tostring(value), 3) end
      error("Bad parameter " .. key .. ": " .. tostring(value) .. " (" .. why .. ")", 3)
    end
  end
end

-- Lanes ----------------------------------------------------------------------

local lane_options = {
  globals = "table", required = "table", package = "table", gc_cb = "function", name = "string",
  priority = "number", native_priority = "number", error_trace_level = "string",
}
local levels = { minimal = true, basic = true, extended = true }

-- `gen` collects library names and options; the body comes last.
local function make_gen(generation)
  local word = generation == 4 and "argument" or "parameter"
  local function complain(...)
    local text = ""
    for i = 1, select("#", ...) do text = text .. tostring((select(i, ...))) end
    error(text, 3)
  end
  local function described(v)
    if generation == 2 then return tostring(v) end
    return type(v) .. ' "' .. tostring(v) .. '"'
  end
  return function(...)
    local n = select("#", ...)
    if n == 0 then complain("No ", word, "s!") end
    local libraries, settings = nil, {}
    for i = 1, n - 1 do
      local v = select(i, ...)
      if type(v) == "string" then
        libraries = libraries and libraries .. "," .. v or v
      elseif type(v) == "table" then
        for key, value in pairs(v) do
          local wanted = lane_options[key]
          if type(key) ~= "string" then
            complain(generation == 2 and "unkeyed option: " or "Unkeyed option: ", described(value))
          elseif generation < 4 and key == "cancelstep" then -- accepted; lanes can be cancelled without it
          elseif not wanted then
            if generation == 2 then complain("Bad option: ", key) end
            complain("Bad '", key, "' option")
          elseif type(value) ~= wanted or key == "error_trace_level" and not levels[value] then
            complain("Bad '", key, "' option: ", described(value))
          else
            settings[key] = value
          end
        end
        if settings.priority and settings.native_priority then
          complain("priority and native_priority cannot be specified together")
        end
      elseif v ~= nil then
        if generation == 2 then complain("Bad parameter: ", v) end
        complain("Bad ", word, " ", i, ": ", described(v))
      end
    end
    local body = select(n, ...)
    if type(body) ~= "function" and type(body) ~= "string" then
      complain("Last ", word, " not function or string: ", described(body))
    end
    local generator, why = core.generator(libraries, settings, body)
    if not generator then complain(why) end
    return generator
  end
end

-- Lindas ---------------------------------------------------------------------

local make_linda = {}

make_linda[2] = function() return function() return (core.linda()) end end

make_linda[3] = function()
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

make_linda[4] = function(settings)
  local default_period = settings.linda_wake_period
  local groups = settings.nb_user_keepers or 0
  local closes = core.flavour == "5.4" or core.flavour == "5.5"
  return function(...)
    if select("#", ...) > 1 then error("too many arguments", 2) end
    local t = ...
    if t == nil then t = { group = 0 } end
    if type(t) ~= "table" then error("expecting a table", 2) end
    local name, period, group, close = t.name, t.wake_period, t.group, t.close_handler
    if name == "auto" then name = true -- where it was made
    elseif name ~= nil and type(name) ~= "string" then error("name is not a string", 2) end
    if period == nil then period = default_period end
    if period == "never" then period = nil
    elseif period ~= nil then
      if type(period) ~= "number" then error("invalid wake_period", 2) end
      if not (period > 0) then error("wake_period must be > 0", 2) end
    end
    if group == nil and groups > 0 then error("Group is mandatory in multiple Keeper scenarios", 2) end
    if group ~= nil and (type(group) ~= "number" or group < 0 or group > groups) then
      error("group out of range", 2)
    end
    if close ~= nil and closes and type(close) ~= "function" then
      local meta = (type(close) == "table" or type(close) == "userdata") and getmetatable(close)
      if type(meta) ~= "table" then error("__close handler is not a function", 2) end
      if meta.__call == nil then error("__close handler is not callable", 2) end
    end
    local linda = core.linda(name, period)
    return linda
  end
end

-- The module -----------------------------------------------------------------

local lanes = {}
local before = {} -- the metatable until the module is configured

local function fill(generation, settings)
  lanes.ABOUT = ABOUT
  lanes.gen = make_gen(generation)
  lanes.linda = make_linda[generation](settings)
  lanes.share = core.share
  if generation >= 3 then
    lanes.cancel_error = core.cancel_error
    lanes.null = core.null
    lanes.now_secs = core.now_secs
    lanes.sleep = core.sleep
  end
end

local function configure(settings)
  if not settings then settings = {} end
  if type(settings) == "number" then settings = { nb_keepers = settings } end -- 3.0 had positional arguments
  if type(settings) ~= "table" then
    error("Bad argument #1 to lanes.configure(), should be a table", 2)
  end
  local own = {}
  for key, value in pairs(settings) do own[key] = value end
  local generation = choose(own)
  check(own, generation)
  local strip = own.strip_functions
  if strip == nil then strip = true end
  core.configure(own.shutdown_timeout or 0.25, strip)
  before.__metatable = nil
  setmetatable(lanes, nil)
  fill(generation, own)
  lanes.configure = nil
  if generation == 4 then
    function lanes.configure() return lanes end
  end
  return lanes
end

if core.generation == 2 then
  fill(2, {})
  core.configure(0.25, false)
  if not core.in_lane then _G.lanes = lanes end
  setmetatable(lanes, { __index = _G })
elseif core.in_lane then
  fill(core.generation, {})
  if core.generation == 4 then
    function lanes.configure() return lanes end
  end
else
  lanes.configure = configure
  lanes.null = core.null
  function before.__index(_, key)
    configure()
    return lanes[key]
  end
  if core.generation ~= 3 then before.__metatable = "Lanes" end
  setmetatable(lanes, before)
end

return lanes
