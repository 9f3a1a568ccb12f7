-- The system refuses a thread: an error that says so, and nothing is left behind
-- needs: module:threads, module:counter, linux
-- env: LD_PRELOAD={built}/threads.so
-- valgrind: yes
local check = require "check"
local lanes = require "lanes".configure { track_lanes = true, with_timers = true }
local counter = require "counter"
local lane = require "lane"
local process = require "process"
local threads = require "threads"
local linda = lanes.linda()

local told
local gen = lanes.gen("*", { name = "refused", gc_cb = function(name, status) told = { name, status } end }, function(l, c)
    l:send("started", c:get())
    return c
end)
local coro = lanes.coro("*", function(c) return coroutine.yield(c) end)
local function collect() for _ = 1, 3 do collectgarbage() end end

local before, made = process.threads(), threads.made()
threads.refuse(-1)
for _ = 1, 100 do
    local why = check.raises("the system refuses another thread", gen, linda, counter.new(1))
    check.is_true(why:find("Resource temporarily unavailable", 1, true), why)
    check.raises("the system refuses another thread", coro, counter.new(1))
    check.raises("the system refuses another thread", lanes.timer, linda, "tick", 0.001)
end
check.eq(#lanes.threads(), 1, "but for the timers no lane is known")
check.eq(process.threads(), before)
check.eq(threads.made(), made)
check.eq(linda:count "started", nil)
collect()
check.eq(counter.live(), 0)
check.eq(told, nil, "there was no handle to be collected")
check.eq(#lanes.timers(), 0)

-- A thread that has ended its lane may run another one, for a moment.
local function settled(count)
    collect()
    lane.becomes("the threads are gone", function() return process.threads() <= count end)
end
local function attempt(refused, i)
    threads.refuse(refused)
    local ok, h = pcall(gen, linda, counter.new(i))
    check.eq(ok, refused == 0)
    if ok then check.eq(h[1]:get(), i) end
end
for i = 1, 6 do
    attempt(i % 2, i)
    settled(before)
end
threads.refuse(-1)
check.raises("the system refuses another thread", gen, linda, counter.new(1))
threads.refuse(0)

-- The same in a lane.
local inner = lanes.gen("*", { required = { "counter" } }, function(l)
    local lanes, threads = require "lanes", require "threads"
    threads.refuse(1)
    local start = lanes.gen("*", function() return 1 end)
    local ok, why = pcall(start)
    return ok, why, start()[1]
end)(linda)
local _, ok, why, one = assert(inner:join())
check.eq(ok, false)
check.is_true(why:find("the system refuses another thread", 1, true), why)
check.eq(one, 1)

-- Timers work when there is a thread for them.
lanes.timer(linda, "tick", 0.001)
check.is_true(linda:receive(30, "tick"))
inner, ok, why = nil, nil, nil
settled(before + 1)
check.eq(counter.live(), 0)
check.done()
