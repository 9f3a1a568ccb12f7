-- Memory runs out at every allocation of every kind of transfer, in the program and in a lane
-- needs: module:oom, module:counter
-- args: main
-- args: lane
-- valgrind: yes
-- timeout: 60
local check = require "check"
local lanes = require "lanes"
if ... == "lane" then
    local h = lanes.gen("*", { required = { "counter" } }, function(path)
        return assert(loadfile(path))("inner")
    end)(arg[0])
    check.eq(select(2, assert(h:join())), "all done")
    check.done()
    return
end

local counter = require "counter"
local starve = require "starve"
local linda = lanes.linda()

local shared = 7
local function up() return shared end
local function both() shared = shared + 1 return up() end
local values = {
    number = function() return 1.5 end,
    string = function() return ("s"):rep(50) end,
    ["long string"] = function() return ("s"):rep(5000) end,
    many = function() return (unpack or table.unpack)({ ("x"):rep(20) }, 1, 200) end,
    table = function()
        local t = { 1, 2, { a = "b", [{}] = true } }
        t.self = t
        return t, t
    end,
    metatable = function() return setmetatable({ 1 }, { __index = { f = both } }) end,
    ["function"] = function() return both, up end,
    ["C function"] = function() return io.write, string end,
    linda = function() return linda, { lanes.linda() } end,
    shared = function() return counter.new(1), { counter.new(2) } end,
    clone = function() return counter.point(1, 2), { counter.point(3, 4) } end,
    converted = function()
        return setmetatable({}, { __lanesconvert = function() return { ("c"):rep(100), counter.new(3) } end })
    end,
}
-- Registers what the values need, and makes what is made once.
for _, value in pairs(values) do
    linda:send("warm", value())
    linda:set "warm"
end

local function emptied()
    linda:set "k"
    check.eq(linda:count "k" or 0, 0)
end
local count
local function sent(worked)
    if not worked then
        check.eq(linda:count "k" or 0, 0, "nothing was sent")
    elseif count then
        check.eq(linda:count "k", count)
    end
    linda:set "k"
    linda:send("k", "usable")
    check.eq(select(2, linda:receive(0, "k")), "usable")
end

for name, value in pairs(values) do
    count = select("#", value())
    starve("send " .. name, function() linda:send("k", value()) end, nil, sent)
    local function filled()
        emptied()
        linda:send("k", value())
        check.eq(linda:count "k", count)
    end
    -- What could not be rebuilt is consumed, what was not looked at is there.
    starve("receive " .. name, function() return linda:receive(0, "k") end, filled, function(worked)
        local left = linda:count "k"
        check.is_true(left == count - 1 or not worked and left == count, left)
        while linda:receive(0, "k") do end
        check.eq(linda:count "k", 0)
    end)
    starve("receive_batched " .. name, function() return linda:receive_batched(0, "k", 1, count) end, filled, function(worked)
        local left = linda:count "k"
        check.is_true(left == 0 or not worked and left == count, left)
        linda:set "k"
    end)
    starve("get " .. name, function() return linda:get("k", count) end, filled, function()
        check.eq(linda:count "k", count)
        while linda:receive(0, "k") do count = count end
    end)
    starve("set " .. name, function() linda:set("k", value()) end, function()
        linda:set("k", "before")
    end, function(worked)
        if not worked then check.eq(select(2, linda:get "k"), "before") end
        check.eq(linda:count "k", worked and count or 1)
        linda:set "k"
    end)
end
count = nil

-- Keys of all kinds, calls on lindas as a whole.
for name, key in pairs { number = 2 ^ 40 + 0.5, string = ("key"):rep(30), boolean = true } do
    starve("key " .. name, function() linda:send(0, key, 1) return linda:receive(0, "other", key) end, nil, function()
        linda:set(key)
    end)
end
starve("settings", function()
    linda:limit("k", 3)
    linda:limit("k", "unlimited")
    linda:restrict("k", "set/get")
    linda:restrict("k", "none")
    return linda:count(), linda:count("k", "l"), linda:dump(), tostring(linda)
end, nil, function()
    linda:limit("k", "unlimited")
    linda:restrict("k", "none")
end)
starve("linda", function() return lanes.linda { name = "name", group = 0 } end, nil, function(worked, l)
    if worked then l:send("k", 1) end
end)
starve("cancelled receive", function() return linda:receive(0, "k") end, function() linda:cancel "both" end, function()
    linda:cancel "none"
end)
starve("refused", function()
    local ok, why = pcall(linda.send, linda, "k", { { counter.new(1), coroutine.create(up) } })
    if tostring(why):find("not enough memory", 1, true) then error(why, 0) end
    assert(not ok)
end, nil, sent)
starve("select", function() return lanes.select(0, linda, "a", lanes.linda(), "b") end, function()
    linda:set("a", counter.new(1))
end, function() linda:set "a" end)
starve("locks", function()
    local lock = lanes.genlock(linda, "lock", 2)
    lock(1)
    lock(-1)
    local add = lanes.genatomic(linda, "sum", 0)
    return add(1)
end, function() linda:set "lock" linda:set "sum" linda:limit("lock", "unlimited") end)

emptied()
if ... == "inner" then return "all done" end
check.done()
