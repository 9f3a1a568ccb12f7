-- Reads a definition file for editors (LuaCATS): which names it declares.
--
-- Answers { classes = { [class] = { [name] = "field" or { parameters } } },
-- globals = { [name] = ... }, aliases = {} }, and raises for what an editor
-- would not make sense of.
local definitions = {}

local function fault(path, line, text)
    error(path .. ":" .. line .. ": " .. text, 0)
end

-- "a, b, ..." -> { "a", "b", "..." }
local function names(list)
    local found = {}
    for name in list:gmatch "[^,%s]+" do
        found[#found + 1] = name
    end
    return found
end

-- Every type that is mentioned and looks like one of ours.
local function mentioned(text, into, number)
    for name in text:gmatch "lanes%.[%w_.]+" do
        into[name:gsub("%.+$", "")] = number
    end
end

function definitions.read(path)
    local file = assert(io.open(path))
    local source = file:read "*a"
    file:close()
    assert((loadstring or load)(source, "@" .. path)) -- it is Lua

    local found = { classes = {}, globals = {}, aliases = {}, meta = nil }
    local uses = {}
    local variables = {} -- the local variable of a class
    local class, pending, fields = nil, {}, nil
    local number = 0
    local function add(into, name, what)
        if into[name] ~= nil then fault(path, number, name .. " is declared twice") end
        into[name] = what
    end
    for line in source:gmatch "([^\n]*)\n" do
        number = number + 1
        local tag, rest = line:match "^%-%-%-@(%w+)%s*(.*)$"
        if tag then mentioned(rest, uses, number) end
        if tag == "meta" then
            found.meta = rest
        elseif tag == "class" then
            class, rest = rest:match "^([%w_.]+)%s*(.*)$"
            fields = {}
            add(found.classes, class, fields)
        elseif tag == "field" then
            if not fields then fault(path, number, "a field of no class") end
            local name, kind = rest:match "^([%w_]+)%??%s+(%S.*)$"
            if name then
                add(fields, name, "field")
            elseif not rest:match "^%[%w+%]%s+%S" then
                fault(path, number, "not a field: " .. rest)
            end
            if name and not kind then fault(path, number, "a field without a type: " .. name) end
        elseif tag == "alias" then
            add(found.aliases, rest:match "^[%w_.]+", true)
        elseif tag == "param" then
            local name, kind = rest:match "^([%w_.]+)%??%s+(%S.*)$"
            if not kind then fault(path, number, "not a parameter: " .. rest) end
            pending[#pending + 1] = name
        elseif tag == "type" then
            pending.type = true
        elseif tag and not ({ ["return"] = 1, overload = 1, nodiscard = 1 })[tag] then
            fault(path, number, "an unknown tag: " .. tag)
        elseif not tag and not line:match "^%-%-" then
            local variable = line:match "^local ([%w_]+) = {}$" or line:match "^([%w_]+) = {}$"
            if variable and fields then variables[variable] = fields end
            local owner, name, list = line:match "^function ([%w_]+)[.:]([%w_]+)%((.-)%) end$"
            local global, global_list = line:match "^function ([%w_]+)%((.-)%) end$"
            if name or global then
                local parameters = names(list or global_list)
                for i = 1, math.max(#parameters, #pending) do
                    if parameters[i] ~= pending[i] then
                        fault(path, number, ("parameter %d is %s, described is %s")
                            :format(i, tostring(parameters[i]), tostring(pending[i])))
                    end
                end
                if name and not variables[owner] then fault(path, number, owner .. " is of no class") end
                add(name and variables[owner] or found.globals, name or global, parameters)
            elseif line:match "^function" then
                fault(path, number, "not understood: " .. line)
            end
            local plain = line:match "^([%w_]+) = nil$"
            if plain then
                if not pending.type then fault(path, number, plain .. " has no type") end
                add(found.globals, plain, "field")
            end
            pending, fields = {}, nil
        end
    end
    found.uses = uses
    return found
end

return definitions
