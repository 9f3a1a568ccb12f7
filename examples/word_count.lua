-- Counts the words of many files with a few lanes, and shows how far it is
--
--   lua word_count.lua FILE ...
--
-- Without files it makes some, so that there is something to count.

local lanes = require "lanes"

-- What there is to do, what is done, both in one linda: three kinds of
-- messages, three keys.
local linda = lanes.linda()

-- A worker takes names of files until it gets `false`. Everything that it needs
-- comes as an argument or an upvalue; both are copied, the linda is shared.
local function worker(linda)
    while true do
        local _, name = linda:receive("file")
        if not name then return end
        local file, why = io.open(name)
        if file then
            local words, total = {}, 0
            for line in file:lines() do
                for found in line:gmatch("%a+") do
                    local word = found:lower()
                    words[word] = (words[word] or 0) + 1
                    total = total + 1
                end
            end
            file:close()
            linda:send("done", { total = total, words = words })
        else
            linda:send("failed", why)
        end
    end
end

-- Some files, if none were named.
local names, temporary = { ... }, {}
if #names == 0 then
    local sentence = "the quick brown fox jumps over the lazy dog while another fox looks on\n"
    for i = 1, 8 do
        local name = os.tmpname()
        local file = assert(io.open(name, "w"))
        file:write(sentence:rep(i * 100))
        file:close()
        names[i], temporary[i] = name, name
    end
end

-- As many lanes as there may be processors; more would not be faster.
local WORKERS = 4
local start = lanes.gen("*", { name = "counter" }, worker)
local workers = {}
for i = 1, WORKERS do workers[i] = start(linda) end

for _, name in ipairs(names) do linda:send("file", name) end
for _ = 1, WORKERS do linda:send("file", false) end

-- One message for each file, in whatever order they are ready.
local total, words = 0, {}
for i = 1, #names do
    local key, result = linda:receive("done", "failed")
    if key == "done" then
        total = total + result.total
        for word, n in pairs(result.words) do words[word] = (words[word] or 0) + n end
    else
        io.stderr:write(result, "\n")
    end
    print(("%d of %d files"):format(i, #names))
end
for _, lane in ipairs(workers) do assert(lane:join()) end
for _, name in ipairs(temporary) do os.remove(name) end

-- The five words that occur most often.
local list = {}
for word in pairs(words) do list[#list + 1] = word end
table.sort(list, function(a, b)
    if words[a] ~= words[b] then return words[a] > words[b] end
    return a < b
end)
print(("%d words, %d different"):format(total, #list))
for i = 1, math.min(5, #list) do print(("%6d %s"):format(words[list[i]], list[i])) end
