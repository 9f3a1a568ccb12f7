-- The ways out of a program, crossed with what its lanes are doing.
--
--   exits.lua SITUATION WAY     one program
--   exits.lua                   lists the situations and the ways
--
-- It says on its output what its end must look like, for `cargo xtask stress`
-- to check; see tests/README.md.

-- A lane that got no processor in the time that it had to stop (the machine may
-- be busy) is no failure. Lua 5.5 would warn of it.
if warn then warn "@off" end

local situations, ways = {}, {}
local names = { situation = {}, way = {} }

local function situation(name, f)
    situations[name] = f
    table.insert(names.situation, name)
end

local function way(name, status, stderr, f)
    ways[name] = { status = status, stderr = stderr, leave = f }
    table.insert(names.way, name)
end

local lanes, linda

-- `n` lanes with this body; their handles are kept in `kept`, or dropped.
local kept = {}
local function start(n, body, ...)
    for i = 1, n do
        local h = lanes.gen("*", body)(linda, ...)
        if i % 2 == 1 then table.insert(kept, h) end
    end
end

-- What the lanes do -----------------------------------------------------------

situation("none", function() end)

situation("ended", function()
    start(4, function(l) return { l, function() end } end)
end)

situation("receive", function()
    start(2, function(l) l:receive "never" end)
    start(2, function(l) l:receive(100, "never", "never either") end)
    start(2, function(l) l:receive_batched(100, "never", 3) end)
    start(2, function(l) require "lanes".select(l, "never", l, "nor this") end)
end)

situation("send", function()
    linda:limit("full", 0)
    start(3, function(l) l:send("full", l) end)
    start(3, function(l) l:send(100, "full", { l }, "text") end)
end)

situation("sleep", function()
    start(2, function() require "lanes".sleep() end)
    start(2, function() require "lanes".sleep(100) end)
end)

situation("join", function()
    start(3, function(l)
        require "lanes".gen("*", function(l) l:receive "never" end)(l):join()
    end)
    start(2, function(l)
        local h = require "lanes".gen("*", function(l) l:receive "never" end)(l)
        while not h:join(0.001) do cancel_test() end
    end)
end)

situation("loop", function()
    start(1, function() while true do end end)
    start(1, function() local f = function() end while true do f() end end)
end)

situation("polling", function()
    start(3, function() while not cancel_test(true) do end end)
end)

situation("swallow", function()
    start(1, function(l) while true do pcall(l.receive, l, "never") end end)
    start(1, function(l) for _ = 1, 5 do pcall(l.receive, l, "never") end end)
end)

situation("coroutine", function()
    start(2, function(l) coroutine.wrap(function() l:receive "never" end)() end)
    start(1, function(l)
        coroutine.wrap(function()
            while true do coroutine.wrap(function() l:receive(0.0001, "never") end)() end
        end)()
    end)
    for i = 1, 4 do
        local h = lanes.coro("*", function(l)
            set_finalizer(function() l:set("finalized", true) end)
            for j = 1, 3 do coroutine.yield(j) end
            l:receive "never"
        end)(linda)
        if i % 2 == 0 then h:resume() end
        if i % 3 ~= 0 then table.insert(kept, h) end
    end
end)

situation("starting", function()
    start(2, function(l)
        local lanes = require "lanes"
        while true do
            local h = lanes.gen("*", function(l) l:send(0, "k", l) end)(l)
            if l:count "k" > 20 then l:set "k" end
            h:join(0.001)
        end
    end)
end)

situation("traffic", function()
    linda:limit("k", 10)
    start(2, function(l) while true do l:send("k", { "a table", l }, "text") end end)
    start(2, function(l) while true do l:receive("x", "k") end end)
end)

situation("finalizers", function()
    start(2, function(l)
        set_finalizer(function() l:set("f", l) end)
        set_finalizer(function() pcall(l.send, l, "f", 1) end)
        set_finalizer(function() pcall(l.receive, l, 0.001, "never") end)
        l:receive "never"
    end)
    start(1, function(l)
        set_finalizer(function() l:receive "never" end)
        l:receive "never"
    end)
    start(1, function(l)
        set_finalizer(function() error "in a finalizer" end)
    end)
end)

situation("timers", function()
    lanes.timer(linda, "tick", 0.001, 0.001)
    start(2, function(l) while true do l:receive("tick") end end)
    start(1, function(l)
        local lanes = require "lanes"
        while true do
            lanes.timer(l, "own", 0.0005)
            l:receive(0.002, "own")
        end
    end)
end)

situation("finally", function()
    lanes.finally(function(ended)
        linda:set("last", true)
        lanes.linda():send(0, "k", linda)
        io.write(ended and linda:count "last" == 1 and "" or "finally is wrong\n")
    end)
    start(3, function(l) l:receive "never" end)
end)

situation("collected", function()
    -- __gc metamethods that use everything, in lanes and in the main state
    local function fill(l, lanes)
        local function collected(f)
            if newproxy then
                local object = newproxy(true)
                getmetatable(object).__gc = f
                return object
            end
            return setmetatable({}, { __gc = f })
        end
        local list = {}
        for i = 1, 3 do
            list[i] = collected(function()
                pcall(l.send, l, 0, "late", { i })
                pcall(l.receive, l, 0, "late")
                pcall(lanes.gen, "*", print)
                pcall(function() return lanes.gen("*", function() end)() end)
            end)
        end
        return list
    end
    table.insert(kept, fill(linda, lanes))
    start(3, function(l)
        objects = fill(l, require "lanes")
        l:receive "never"
    end)
end)

situation("requiring", function()
    start(3, function(l)
        while true do
            package.loaded.check = nil
            require "check"
        end
    end)
end)

situation("writing", function()
    start(2, function()
        local file = io.open("/dev/null", "w")
        while true do file:write(("x"):rep(100)) end
    end)
end)

-- In a C function that never returns.
situation("stuck", function()
    local pipe = os.tmpname()
    os.remove(pipe)
    os.execute("mkfifo " .. pipe)
    start(2, function(l, pipe) io.open(pipe, "r") end, pipe)
    lanes.sleep(0.02) -- so that they have got there
    os.remove(pipe)
end)

-- The ways out ----------------------------------------------------------------

local function traceback(message)
    return [[(?s)\A[^\n]*]] .. message .. [[[^\n]*(\nstack traceback:\n(\s[^\n]*\n?)*)?\n?\z]]
end

way("end", 0, "", function() end)
way("error", 1, traceback "leaving by an error", function() error "leaving by an error" end)
way("exit", 3, "", function() os.exit(3) end)
way("exit-close", 3, "", function() os.exit(3, true) end)
way("lane-exit", 4, "", function()
    lanes.gen("*", function() os.exit(4) end)():join()
end)
way("lane-exit-close", 4, "", function()
    lanes.gen("*", function() os.exit(4, true) end)():join()
end)
way("signal", 1, traceback "interrupted!", function()
    local stat = assert(io.open "/proc/self/stat")
    local pid = stat:read "*l":match "%d+"
    stat:close()
    killer = io.popen("exec kill -INT " .. pid)
    while true do linda:receive(0.001, "never") end
end)

-- -----------------------------------------------------------------------------

if not arg[1] then
    for _, name in ipairs(names.situation) do print("situation", name) end
    for _, name in ipairs(names.way) do print("way", name) end
    return
end

local situation, way = situations[arg[1]], ways[arg[2]]
lanes = require "lanes".configure { shutdown_timeout = 0.03, with_timers = arg[1] == "timers" }
linda = lanes.linda()
print("status", way.status)
print("stderr", way.stderr)
situation()
print "leaving"
io.stdout:flush()
way.leave()
