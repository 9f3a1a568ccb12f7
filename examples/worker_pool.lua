-- A pool of lanes that work off tasks; tasks can be cancelled, and so can the
-- whole pool
--
--   lua worker_pool.lua

local lanes = require "lanes"

-- The pool --------------------------------------------------------------------

local Pool = {}
Pool.__index = Pool

-- A pool of `size` lanes. At most `backlog` tasks wait; submitting another one
-- waits, too.
function Pool.new(size, backlog)
    local self = setmetatable({ linda = lanes.linda { name = "pool" }, lanes = {}, submitted = 0 }, Pool)
    self.linda:limit("task", backlog)
    local linda = self.linda
    local start = lanes.gen("*", { name = "pool worker" }, function(number)
        -- Whatever ends the lane, it says goodbye.
        set_finalizer(function(err)
            linda:set("last words of " .. number, err == lanes.cancel_error and "cancelled" or "done")
        end)
        while true do
            local key, task = linda:receive("stop", "task")
            if key ~= "task" then return end -- stop, or the linda was cancelled
            -- A task looks at its flag when it finds the time.
            local function wanted() return not linda:get("cancel", 1) or linda:count(task.flag) ~= 1 end
            local good, result = pcall(task.f, wanted, task.argument)
            if not good and result == lanes.cancel_error then error(result, 0) end
            linda:send("result " .. task.id, { good = good, value = result })
        end
    end)
    for i = 1, size do self.lanes[i] = start(i) end
    return self
end

-- Returns the number of the task. `f(wanted, argument)` runs in a lane;
-- `wanted()` tells whether anybody still cares.
function Pool:submit(f, argument)
    self.submitted = self.submitted + 1
    local id = self.submitted
    self.linda:send("task", { id = id, f = f, argument = argument, flag = "cancel " .. id })
    return id
end

-- Asks one task to stop.
function Pool:cancel(id) self.linda:set("cancel " .. id, true) end

-- Waits for a task. Returns true and its result, or false and its error.
function Pool:result(id)
    local _, result = self.linda:receive("result " .. id)
    return result.good, result.value
end

-- Lets the lanes finish what they have begun.
function Pool:close()
    for _ = 1, #self.lanes do self.linda:send("stop", true) end
    for _, lane in ipairs(self.lanes) do lane:join() end
end

-- Ends the lanes where they are: in a call that blocks, or by a hook.
function Pool:abort()
    for _, lane in ipairs(self.lanes) do lane:cancel("line", 1, 0) end -- ask all,
    for _, lane in ipairs(self.lanes) do lane:join() end               -- then wait
end

-- What one does with it -----------------------------------------------------------

local pool = Pool.new(2, 4)

local ids = {}
for i = 1, 6 do
    ids[i] = pool:submit(function(_, n) return n * n end, i)
end
for i = 1, 6 do print("task " .. i, pool:result(ids[i])) end

-- One that fails: the pool goes on.
print("failing", pool:result(pool:submit(function() error("no luck", 0) end)))

-- One that would never end, and looks whether it is wanted.
local patient = pool:submit(function(wanted)
    while wanted() do end
    return "gave up"
end)
pool:cancel(patient)
print("patient", pool:result(patient))

pool:close()
print("closed", pool.lanes[1].status, pool.lanes[2].status)

-- A pool whose lanes are stuck: one in Lua code, the other in a wait.
pool = Pool.new(2, 4)
local begun = lanes.linda()
pool:submit(function()
    if jit then jit.off() end -- hooks reach no loop that LuaJIT has compiled
    begun:send("task", "loops")
    while true do end
end)
pool:submit(function()
    begun:send("task", "waits")
    begun:receive("nothing comes")
end)
begun:receive_batched("task", 2)
pool:abort()
for i = 1, 2 do
    print("aborted", pool.lanes[i].status, select(2, pool.linda:get("last words of " .. i)))
end
