-- Transfer by shape: a lane sends a value to itself and receives the copy.
-- Microseconds for both.
local bench = require "bench"
local options = bench.options { shape = "record", count = 1000 }
local lanes = bench.lanes()
local linda = lanes.linda()
local count = options.count

local function record(i)
    return { id = i, name = "abc", vals = { 1, 2, 3, 4, 5 } }
end
local function is_record(copy, i)
    return copy.id == i and copy.name == "abc" and #copy.vals == 5
end

-- Each shape: what is sent, and whether a copy is right.
local shapes = {}

function shapes.number()
    return 42, function(copy) return copy == 42 end
end

function shapes.string()
    local text = ("x"):rep(512)
    return text, function(copy) return copy == text end
end

function shapes.record()
    return record(1), function(copy) return is_record(copy, 1) end
end

-- 100 numbers.
function shapes.array()
    local array = {}
    for i = 1, 100 do
        array[i] = i
    end
    return array, function(copy) return #copy == 100 and copy[100] == 100 end
end

-- 100 names with numbers.
function shapes.map()
    local map = {}
    for i = 1, 100 do
        map["name" .. i] = i
    end
    return map, function(copy) return copy.name1 == 1 and copy.name100 == 100 end
end

-- 100 records with the same names in each.
function shapes.records()
    local records = {}
    for i = 1, 100 do
        records[i] = record(i)
    end
    return records, function(copy) return #copy == 100 and is_record(copy[100], 100) end
end

-- 100 tables, each in the one before.
function shapes.nested()
    local nested = { level = 0 }
    for i = 1, 99 do
        nested = { level = i, inner = nested }
    end
    return nested, function(copy) return copy.inner.level == 98 end
end

-- A table that many fields share, and that has itself inside.
function shapes.graph()
    local node = {}
    node.node = node
    local graph = {}
    for i = 1, 20 do
        graph[i] = node
    end
    return graph, function(copy) return copy[1] == copy[20] and copy[1].node == copy[1] end
end

-- A function with two variables.
shapes["function"] = function()
    local a, b = 1, { 2 }
    local function sum()
        return a + b[1]
    end
    return sum, function(copy) return copy ~= sum and copy() == 3 end
end

-- The linda itself.
function shapes.linda()
    return linda, function(copy) return copy == linda end
end

local make = shapes[options.shape] or error("shape: " .. options.shape)
local value, is_right = make()
local start = lanes.now_secs()
for _ = 1, count do
    linda:send("key", value)
    local _, copy = linda:receive("key")
    if not is_right(copy) then
        error("a wrong copy")
    end
end
local elapsed = lanes.now_secs() - start
bench.report(elapsed / count * 1e6, elapsed, count)
