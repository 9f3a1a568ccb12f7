-- Traffic on one key does not wake those who wait on others
-- needs: linux
-- timeout: 60
local check = require "check"
local lanes = require "lanes"
local lane = require "lane"
local linda = lanes.linda()

-- How often the threads named "idle" have gone to sleep so far.
local function sleeps(tasks)
    local total = 0
    for _, task in ipairs(tasks) do
        local file = assert(io.open("/proc/self/task/" .. task .. "/status"))
        total = total + tonumber(file:read "*a":match "\nvoluntary_ctxt_switches:%s*(%d+)")
        file:close()
    end
    return total
end

local idle = {}
for i = 1, 8 do
    idle[i] = lanes.gen("*", { name = "idle" }, function(l, i)
        -- the number of the own thread
        local file = assert(io.open "/proc/thread-self/stat")
        l:send("tasks", (file:read "*a":match "^%d+"))
        file:close()
        l:receive("idle " .. i, "idle too")
    end)(linda, i)
end
local tasks = {}
for i = 1, 8 do tasks[i] = select(2, linda:receive(10, "tasks")) end
for _, h in ipairs(idle) do lane.reaches(h, "waiting") end
lane.pause(0.05)

local before = sleeps(tasks)
local echo = lanes.gen("*", function(l)
    for i = 1, 2000 do
        l:receive "there"
        l:send("back", i)
    end
end)(linda)
for i = 1, 2000 do
    linda:send("there", i)
    linda:receive "back"
    linda:set("state", i)
    linda:limit("state", i)
end
check.gives(check.list(true), echo:join(10))
local woken = sleeps(tasks) - before
check.is_true(woken <= 16, woken .. " times")

-- one value wakes one of them
linda:send("idle too", 1)
lane.becomes("one is over", function()
    local over = 0
    for _, h in ipairs(idle) do if h.status == "done" then over = over + 1 end end
    return over == 1
end)
for i = 1, 8 do linda:send("idle " .. i, true) end
for _, h in ipairs(idle) do check.gives(check.list(true), h:join(10)) end

check.done()
