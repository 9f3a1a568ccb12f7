-- The definition files for editors declare what there is, and nothing else
-- args: v4
-- args: v3
-- args: v2
local check = require "check"
local definitions = require "definitions"

local api = arg[1]
local generation = tonumber(api:sub(2))
local lanes = require("lanes." .. api)
if generation == 3 then
    check.eq(type(lanes.configure), "function") -- gone afterwards
    lanes.configure { track_lanes = true }
elseif generation == 4 then
    lanes.configure { track_lanes = true, with_timers = true }
end

local common = definitions.read "lua/library/lanes.lua"
local own = generation == 4 and common or definitions.read("lua/library/lanes/" .. api .. ".lua")
local prefix = generation == 4 and "lanes" or "lanes." .. api
check.eq(own.meta, prefix)

-- Both sets of names are the same.
local function compare(what, declared, real, ignored)
    for name in pairs(declared) do
        check.is_true(real[name] ~= nil or ignored and ignored[name],
            what .. " has no " .. name .. ", which is declared")
    end
    for name, value in pairs(real) do
        local kind = declared[name]
        check.is_true(kind, what .. " has " .. tostring(name) .. ", which is not declared")
        check.eq(type(kind) == "table", type(value) == "function", what .. "." .. name .. ": a function")
    end
end

-- Types that are mentioned exist.
for _, file in ipairs { common, own } do
    for name, line in pairs(file.uses) do
        local known = common.classes[name] or common.aliases[name] or own.classes[name] or own.aliases[name]
        local member = common.classes.lanes[name:match "^lanes%.([%w_]+)$" or 1] -- the prose names functions
        check.is_true(known or member or name == file.meta, "line " .. line .. " mentions " .. name .. ", which is not declared")
    end
end

-- The module. In 2.x it inherits the globals: only its own fields count.
local fields = {}
for name, value in next, lanes do fields[name] = value end
compare("lanes", own.classes[prefix], fields, generation == 3 and { configure = true })
compare("ABOUT", common.classes["lanes.About"], lanes.ABOUT)

-- Methods, from behind the protected metatables. Lua 5.1 and LuaJIT do not
-- show the upvalues of C functions: there it is only seen that what is declared
-- exists. The methods are the same on all.
local debug = debug
local function methods(object, upvalue, declared)
    local index = debug.getmetatable(object).__index
    if type(index) == "table" then return index end
    local _, found = debug.getupvalue(index, upvalue)
    if found == nil and _VERSION == "Lua 5.1" then
        found = {}
        for name, kind in pairs(declared) do
            if type(kind) == "table" or name == "null" then found[name] = object[name] end
        end
    end
    check.eq(type(found), "table", "the table of methods")
    return found
end

-- Fields that are computed: each that is declared can be read.
local function readable(object, declared, known)
    for name, kind in pairs(declared) do
        if kind == "field" and known[name] == nil then
            check.is_true(object[name] ~= nil, name)
        end
    end
end

local linda = lanes.linda()
local handle = lanes.gen("*", { globals = { api = api } }, function() return 1 end)()
check.eq(handle[1], 1)
for _, case in ipairs { { linda, "Linda", 3 }, { handle, "Handle", 2 } } do
    local object, class, upvalue = case[1], own.classes[prefix .. "." .. case[2]], case[3]
    local real, computed = methods(object, upvalue, class), { status = true, error_trace_level = true }
    compare(case[2], class, real, computed)
    readable(object, class, real)
end
-- Nothing is computed that is not declared: 4.x refuses the rest.
if generation == 4 then
    check.raises("unknown field", function() return linda.error_trace_level end)
    check.raises("unknown field", function() return handle.stat end)
end

-- Shares.
if io and package.config:sub(1, 1) == "/" then
    local file = io.tmpfile()
    local share = lanes.share(file)
    compare("Share", common.classes["lanes.Share"], methods(share, 1, {}))
    share:open():close()
    file:close()
end

-- The globals of lanes.
local names = lanes.gen("*", function()
    local list = {}
    for name, value in pairs(_G) do list[name] = type(value) end
    return list
end)()[1]
local plain = {}
for name in pairs(_G) do plain[name] = true end
local declared, real = {}, {}
for name, kind in pairs(own.globals) do declared[name] = kind end
if generation < 4 then
    declared.set_finalizer, declared.cancel_test = common.globals.set_finalizer, common.globals.cancel_test
end
for name, kind in pairs(names) do
    if not plain[name] then real[name] = kind == "function" and print or true end
end
compare("a lane", declared, real)

-- Options: those that the sources of the module know.
local function upvalue(f, wanted)
    for i = 1, 50 do
        local name, value = debug.getupvalue(f, i)
        if name == wanted then return value end
    end
    error("no upvalue " .. wanted)
end
local core = { generation = generation, null = lanes.null }
if generation > 2 then
    local options = assert(loadfile "lua/options.lua")(core)
    local known = upvalue(options.check, "known")[generation]
    local real = {}
    for name in pairs(known) do real[name] = true end
    compare("configure", own.classes[prefix .. ".ConfigureOptions"], real)
end
local make = assert(loadfile "lua/generators.lua")(core).make
local known = upvalue(make, "options_of")(generation)
real = {}
for name in pairs(known) do real[name] = true end
if generation < 4 then real.cancelstep = true end
declared = {}
for name, kind in pairs(common.classes["lanes.GenOptions"]) do declared[name] = kind end
for name, kind in pairs(generation < 4 and own.classes[prefix .. ".GenOptions"] or {}) do declared[name] = kind end
compare("gen", declared, real)
for name in pairs(declared) do -- and the module knows them too
    local good, why = pcall(lanes.gen, { [name] = {} }, print)
    check.is_true(good or tostring(why):lower():find("bad '?" .. name) and not tostring(why):find "Bad option", why)
end
if generation == 4 then
    local file = assert(io.open "lua/lindas.lua")
    real = {}
    for name in file:read "*a":gmatch "%f[%w]t%.([%w_]+)" do real[name] = true end
    file:close()
    compare("linda options", common.classes["lanes.LindaOptions"], real)
    linda:send("k", 1)
    compare("dump", common.classes["lanes.Dump"], linda:dump().k)
    local info = lanes.threads()[1]
    info.handle = info.handle or handle
    compare("threads", common.classes["lanes.ThreadInfo"], info)
end

check.done()
