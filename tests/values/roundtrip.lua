-- Random values come back equal, with the same sharing: through lindas, arguments and results
-- args: 2000
-- timeout: 60
-- A failure prints the seed; `roundtrip.lua 1 SEED` repeats it.
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
local COUNT, SEED = tonumber(arg and arg[1]) or 100, tonumber(arg and arg[2])

-- A small generator of our own: the same values on every interpreter.
local state
local function random(n)
    state = (state * 16807) % 2147483647
    return state % n + 1
end

local lindas = { lanes.linda(), lanes.linda(), linda }
local named = { print, string, string.rep, math, table.concat, _G }
local metatables = { {}, { __index = {} }, { __name = "m" } }
metatables[3].__index = metatables[3]

local scalar_kinds = {
    function() return random(2) == 1 end,
    function() return random(1000) - 500 end,
    function() return (random(1000000) - 500000) / 64 end,
    function() return ("s"):rep(random(40) - 1) .. random(100) end,
    function() return string.char(random(256) - 1, random(256) - 1) end,
    function() return lindas[random(#lindas)] end,
    function() return named[random(#named)] end,
    function() return lindas[random(#lindas)]:deep() end,
}
local function scalar() return scalar_kinds[random(#scalar_kinds)]() end

local make
local function make_table(pool, depth)
    local t = {}
    pool[#pool + 1] = t
    if random(4) == 1 then setmetatable(t, metatables[random(#metatables)]) end
    for i = 1, random(5) - 1 do
        if random(8) > 1 then t[i] = make(pool, depth - 1) end
    end
    for _ = 1, random(4) - 1 do
        local key = make(pool, depth - 1)
        if key ~= nil then t[key] = make(pool, depth - 1) end
    end
    return t
end
local function make_function(pool, depth)
    local a, b, c = nil, make(pool, depth - 1), make(pool, depth - 1)
    local function f() return a, b, c end
    pool[#pool + 1] = f
    a = random(2) == 1 and f or make(pool, depth - 1) -- may refer to itself
    return f
end
function make(pool, depth)
    local kind = random(10)
    if #pool > 0 and kind <= 3 then return pool[random(#pool)] end -- shared, or a cycle
    if depth > 0 and kind <= 7 then return make_table(pool, depth) end
    if depth > 0 and kind == 8 then return make_function(pool, depth) end
    return scalar()
end

-- Walks both values and pairs up their objects: each must meet the same one again.
local function isomorphic(a, b, forth, back)
    local kind = type(a)
    if kind ~= type(b) then return false, "types" end
    if kind == "table" or kind == "function" then
        if a == b then
            for _, v in ipairs(named) do if v == a then return true end end
            return false, "not copied"
        end
        if forth[a] ~= nil or back[b] ~= nil then
            return forth[a] == b and back[b] == a, "sharing"
        end
        forth[a], back[b] = b, a
    elseif a ~= b or math.type and math.type(a) ~= math.type(b) then
        return false, tostring(a) .. " and " .. tostring(b)
    end
    if kind == "function" then
        local n1, n2 = { a() }, { b() }
        for i = 1, 3 do
            local ok, why = isomorphic(n1[i], n2[i], forth, back)
            if not ok then return false, "upvalue: " .. why end
        end
    elseif kind == "table" then
        if getmetatable(a) ~= getmetatable(b) then return false, "metatables" end
        local plain, odd, count = {}, {}, 0
        for k in next, a do
            count = count + 1
            if type(k) == "table" or type(k) == "function" then odd[#odd + 1] = k else plain[#plain + 1] = k end
        end
        for _ in next, b do count = count - 1 end
        if count ~= 0 then return false, "number of entries" end
        for _, k in ipairs(plain) do
            local ok, why = isomorphic(rawget(a, k), rawget(b, k), forth, back)
            if not ok then return false, tostring(k) .. ": " .. why end
        end
        -- Keys with an identity: those that were met already must be found again;
        -- of the others only the number can be told.
        for _, k in ipairs(odd) do
            local other = forth[k]
            for _, v in ipairs(named) do if v == k then other = k end end
            if other ~= nil then
                local ok, why = isomorphic(rawget(a, k), rawget(b, other), forth, back)
                if not ok then return false, "odd key: " .. why end
            end
        end
    end
    return true
end

-- A lane that gives back what it gets, and one started now and then for arguments.
local echo = lanes.gen("*", function(l)
    while true do
        local key, v = l:receive("quit", "there")
        if key == "quit" then return end
        l:send("back", v)
    end
end)(linda)
local starts = lanes.gen("*", function(...) return ... end)

local function check_one(seed)
    state = seed
    for _ = 1, 5 do random(2) end
    local value = make({}, 5)
    local function compare(way, got)
        local ok, why = isomorphic(value, got, {}, {})
        if not ok then error(("seed %d, %s: %s"):format(seed, way, why), 0) end
    end
    linda:send("k", value)
    compare("linda", select(2, linda:receive(0, "k")))
    -- through another state: functions and metatables come back as they were
    linda:send("there", { value })
    local key, back = linda:receive(10, "back")
    if not key then error(("seed %d: the lane is gone: %s"):format(seed, tostring(echo[-1])), 0) end
    compare("lane", back[1])
    if seed % 20 == 0 then
        local ok, first, second = starts(value, { value }):join(10)
        if not ok then error(("seed %d: %s"):format(seed, tostring(first)), 0) end
        compare("arguments and results", first)
        if second[1] ~= first then error(("seed %d: arguments do not share"):format(seed), 0) end
    end
end

if SEED then
    check_one(SEED)
else
    for seed = 1, COUNT do check_one(seed) end
end
linda:send("quit", true)
check.gives(check.list(true), echo:join(10))

check.done()
