-- lanes.gen and lanes.coro: library names and options are collected, the body
-- comes last.

local core = ...
local error, pairs, select, tostring, type = error, pairs, select, tostring, type

local kinds = {
  globals = "table", required = "table", package = "table", gc_cb = "function", name = "string",
  priority = "number", native_priority = "number", error_trace_level = "string",
}
local levels = { minimal = true, basic = true, extended = true }

-- The options of the generation: what type each must have.
local function options_of(generation)
  local known = {}
  for name, kind in pairs(kinds) do known[name] = kind end
  if generation == 2 then
    known.packagepath, known.packagecpath = "string", "string"
  end
  return known
end

local function make(generation, coroutine)
  local known = options_of(generation)
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

  -- Hooks look for a cancel request every so many instructions.
  local function cancelstep(v)
    if v == true then return 100 end
    if v == false then return end
    if type(v) ~= "number" then return end
    return v >= 1 and v or nil
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
          local wanted = known[key]
          if type(key) ~= "string" then
            complain(generation == 2 and "unkeyed option: " or "Unkeyed option: ", described(value))
          elseif generation < 4 and key == "cancelstep" then
            if type(value) ~= "number" and type(value) ~= "boolean" then complain("Bad cancelstep: ", value) end
            settings.cancelstep = cancelstep(value)
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
    if settings.packagepath or settings.packagecpath then
      settings.package = { path = settings.packagepath, cpath = settings.packagecpath }
    end
    if coroutine then settings.coroutine = true end
    local generator, why = core.generator(libraries, settings, body)
    if not generator then complain(why) end
    return generator
  end
end

return { make = make }
