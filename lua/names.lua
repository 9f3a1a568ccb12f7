-- lanes.register, lanes.require and lanes.nameof: names of functions and
-- modules.

local core = ...
local error, next, pairs, rawget, select, tostring, type = error, next, pairs, rawget, select, tostring, type
local _G = _G

local names = {}

names.register = core.register

-- The global `require` is looked up at each call: programs may replace it.
function names.require(name, ...)
  local module = _G.require(name, ...)
  local kind = type(module)
  if kind == "table" or kind == "function" or kind == "userdata" then core.register(name, module) end
  return module
end

-- Goes through the tables level by level, so that the first find is the
-- shortest path; of several the smallest. `element` makes the step to a key.
local function search(wanted, root, path, element)
  local seen = { [root] = true }
  local level = { { root, path } }
  while level[1] do
    local found
    local deeper = {}
    for i = 1, #level do
      local t, prefix = level[i][1], level[i][2]
      for key, value in next, t do
        local kind = type(value)
        if kind == "table" or kind == "function" or kind == "userdata" then
          if value == wanted and kind == type(wanted) then
            local name = prefix .. "/" .. element(key, kind)
            if not found or #name < #found or #name == #found and name < found then found = name end
          elseif kind == "table" and not seen[value] then
            seen[value] = true
            deeper[#deeper + 1] = { value, prefix .. "/" .. element(key, kind) }
          end
        end
      end
    end
    if found then return found end
    level = deeper
  end
end

local function plain(key)
  if type(key) == "string" then return key end
  return "<" .. type(key) .. ">"
end

local marks = { table = "[]", ["function"] = "()", userdata = "<>" }

local function marked(key, kind) return plain(key) .. marks[kind] end

-- lanes.nameof(v): the type, and the value itself or the path to it.
function names.nameof(generation)
  local element = generation == 4 and marked or plain
  return function(...)
    local given = select("#", ...)
    if generation == 4 and given ~= 1 then error("exactly 1 argument expected", 2) end
    if given > 1 then error("too many arguments.", 2) end
    local v = ...
    local kind = type(v)
    if kind ~= "table" and kind ~= "function" and kind ~= "userdata" and kind ~= "thread" then return kind, v end
    if kind == "thread" then return kind, nil end
    if v == _G then return kind, "_G" end
    return kind, search(v, _G, "_G", element) or search(v, core.registry(), "_R", element) or nil
  end
end

return names
