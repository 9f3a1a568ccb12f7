-- Applies a function to each element of a list, several at a time
--
--   lua parallel_map.lua

local lanes = require "lanes"

-- As `map` in one thread: the results are in the order of the list. An error
-- in `f` is raised here, with the number of the element.
local function parallel_map(f, list, workers)
    workers = workers or 4
    local linda = lanes.linda()

    local start = lanes.gen("*", { name = "map" }, function()
        while true do
            local _, task = linda:receive("task")
            if not task then return end
            local good, result = pcall(f, task.value)
            linda:send("result", { at = task.at, good = good, value = result })
        end
    end)
    local running = {}
    for i = 1, math.min(workers, #list) do running[i] = start() end

    for at, value in ipairs(list) do linda:send("task", { at = at, value = value }) end
    for _ = 1, #running do linda:send("task", false) end

    local results, failed = {}, nil
    for _ = 1, #list do
        local _, result = linda:receive("result")
        if result.good then
            results[result.at] = result.value
        elseif not failed or result.at < failed.at then
            failed = result
        end
    end
    for _, lane in ipairs(running) do lane:join() end
    if failed then error(("element %d: %s"):format(failed.at, failed.value), 2) end
    return results
end

-- Slow on purpose.
local function primes_below(limit)
    local count = 0
    for n = 2, limit - 1 do
        local prime = true
        for d = 2, math.floor(math.sqrt(n)) do
            if n % d == 0 then
                prime = false
                break
            end
        end
        if prime then count = count + 1 end
    end
    return count
end

local limits = { 10, 100, 1000, 10000, 20000, 30000 }
for i, count in ipairs(parallel_map(primes_below, limits)) do
    print(("%5d primes below %d"):format(count, limits[i]))
end

-- What goes wrong in a lane is told where the map was called.
print(pcall(parallel_map, function(x) if x == 3 then error("three", 0) end return x end, { 1, 2, 3 }))
