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

-- What each part makes of the core.
local function part(name) return core.part(name, core) end

local options = part "options"
local generators = part "generators"
local lindas = part "lindas"
local locks = part "locks"
local names = part "names"
local threads = part "threads"
local timers = part "timers"

-- The module -----------------------------------------------------------------

local lanes = {}
local before = {} -- the metatable until the module is configured

local function fill(generation, settings)
  lanes.ABOUT = ABOUT
  lanes.gen = generators.make(generation)
  lanes.linda = lindas.make[generation](settings)
  lanes.genlock = locks.genlock[generation]
  lanes.genatomic = locks.genatomic
  lanes.timer = timers.timer(generation)
  lanes.select = core.select
  lanes.share = core.share
  lanes.cancel_all = core.cancel_all
  if generation == 2 then
    lanes._M, lanes._NAME, lanes._PACKAGE = lanes, "lanes", "" -- as module() of 5.1 left them
    return
  end
  lanes.coro = generators.make(generation, true)
  lanes.cancel_error = core.cancel_error
  lanes.null = core.null
  lanes.now_secs = core.now_secs
  lanes.sleep = core.sleep
  lanes.timers = timers.timers
  lanes.register = names.register
  lanes.require = names.require
  lanes.nameof = names.nameof(generation)
  for name, f in pairs(threads) do lanes[name] = f end
end

-- In 4.x configuring again does no harm.
local function configured() return lanes end

local function start(generation, settings)
  local with_timers = settings.with_timers
  if with_timers == nil then with_timers = generation ~= 4 end
  local on_create = settings.on_state_create
  if on_create then core.check_state_create(on_create, 1 + (settings.nb_user_keepers or 0), with_timers and true) end
  local strip = settings.strip_functions
  if strip == nil then settings.strip_functions = true end
  core.configure(settings, options.inherited(settings), on_create)
  fill(generation, settings)
  core.adopt(lanes)
  if with_timers then
    local timer_lane = core.start_timers()
    if generation ~= 2 then
      lanes.timer_lane = timer_lane
      core.adopt(nil) -- with a handle in it, it cannot travel
    end
  end
  before.__metatable = nil
  lanes.configure = generation == 4 and configured or nil
  if generation == 2 then
    lanes.null = nil
    _G.lanes = lanes
    setmetatable(lanes, { __index = _G })
  else
    setmetatable(lanes, nil)
  end
end

local function configure(settings, timers_too)
  if not settings then settings = {} end
  if type(settings) == "number" and core.generation ~= 4 then
    settings = { nb_keepers = settings, with_timers = timers_too } -- 3.0 had positional arguments
  end
  if type(settings) ~= "table" then
    error("Bad " .. (core.generation == 3 and "parameter" or "argument")
      .. " #1 to lanes.configure(), should be a table", 2)
  end
  local own = {}
  for key, value in pairs(settings) do own[key] = value end
  local generation = options.choose(own)
  options.check(own, generation)
  start(generation, own)
  return lanes
end

if core.in_lane then
  fill(core.generation, core.settings or {})
  if core.generation == 4 then lanes.configure = configured end
  if core.generation == 2 then
    _G.lanes = lanes
    setmetatable(lanes, { __index = _G })
  end
  core.adopt(lanes)
elseif core.generation == 2 then
  start(2, {})
else
  lanes.null = core.null
  lanes.configure = configure
  function before.__index(_, key)
    configure()
    return lanes[key]
  end
  if core.generation ~= 3 then before.__metatable = "Lanes" end
  setmetatable(lanes, before)
  core.adopt(lanes)
end

return lanes
