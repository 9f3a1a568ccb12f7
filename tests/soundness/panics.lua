-- A panic anywhere becomes an error of the call, holds no lock and loses no value
-- needs: faults, module:counter
-- env: LUA_CPATH={built}/faults/?.so;{built}/?.so
-- env: RUST_BACKTRACE=0
-- stderr: panicked at
-- timeout: 60
-- valgrind: yes
local check = require "check"
local faults = require "lanes.faults"
local panic = require "panic"
local counter = require "counter"
local lane = require "lane"

-- The module itself comes into being. It can do without the cache of its own
-- compiled code.
-- 5.1 and LuaJIT take a module whose loading has failed for one that is being loaded.
local points = panic("require", function() return require "lanes" end, function() package.loaded.lanes = nil end, nil, true)
local lanes = require "lanes"
points = points + panic("configure", function()
    return lanes.configure { track_lanes = true, with_timers = true, on_state_create = function() end }
end)
check.is_true(points > 0)

local linda = lanes.linda { name = "panics" }
-- A lane that goes on all the time, and that is blocked in this linda while
-- something panics here.
local peer = lanes.gen("*", { name = "peer" }, function(l)
    while true do
        local _, what, key = l:receive_batched("ask", 2)
        if what == "stop" then return "stopped" end
        if what == "take" then
            l:send("answer", select(2, l:receive(10, key)))
        else
            l:send("answer", l:count(key) or 0)
        end
    end
end)(linda)
local function ask(what, key)
    check.eq(linda:send(10, "ask", what, key), true)
    local _, value = check.results(2, linda:receive(10, "answer"))
    return value
end

-- The slot "k" holds exactly these, in order, for this state and for the other.
local function holds(values, what)
    check.eq(linda:count "k" or 0, #values, what)
    check.eq(ask("count", "k"), #values, what)
    for n, value in ipairs(values) do
        local got
        if n % 2 == 1 then got = ask("take", "k") else got = select(2, linda:receive(10, "k")) end
        check.eq(type(got) == "table" and got[1] or got, value, what)
    end
    check.eq(linda:send(10, "k", "usable"), true)
    check.eq(ask("take", "k"), "usable")
end
local function fill()
    linda:set("k", "one", { "two" }, "three")
    return linda
end
local THREE = { "one", "two", "three" }
-- Nothing has changed.
local function intact() holds(THREE) end
-- The call has either done nothing or all of it: this is what there is then.
local function either(done)
    return function(place, worked)
        -- The call had done its work when it was hit, or was not hit.
        local was_done = worked or place == "after the work"
        holds(was_done and done or THREE)
    end
end

local function transfers()
    local t = { { 1 } }
    local function up() return t end
    panic("send", function(l) l:send("k", "four") end, fill, either { "one", "two", "three", "four" })
    panic("send with timeout", function(l) l:send(0, "k", 4) end, fill, either { "one", "two", "three", 4 })
    panic("send many", function(l) l:send("k", { "four", up, { t, l } }, t, "six") end, fill, function(place, worked)
        if worked or place == "after the work" then
            check.eq(linda:count "k", 6)
            linda:set("k", select(2, linda:receive_batched(0, "k", 3)))
        end
        intact()
    end)
    panic("send shared", function(l) l:send("k", counter.new(1)) end, fill, function(place, worked)
        local count = (worked or place == "after the work") and 4 or 3
        check.eq(linda:count "k", count)
        linda:receive_batched(0, "k", 3)
        linda:set "k"
        fill()
        intact()
    end)
    panic("send what cannot go", function(l)
        local ok, why = pcall(l.send, l, "k", { { coroutine.create(up) } })
        if why:find("internal error", 1, true) then error(why, 0) end
        check.is_true(not ok)
    end, fill, intact)
    panic("converted", function(l)
        l:send("k", setmetatable({}, { __lanesconvert = function(v) l:send("other", 1) return { "four" } end }))
    end, fill, function(place, worked)
        linda:set "other"
        if linda:count "k" == 3 then return intact() end
        holds { "one", "two", "three", "four" }
    end)
    panic("receive", function(l) return l:receive("k") end, fill, either { "two", "three" })
    panic("receive of several", function(l) return l:receive(0, "a", "b", 3, true, "k", "l") end, fill, either { "two", "three" })
    panic("receive of nothing", function(l) return l:receive(0, "nothing", "nothing else") end, fill, intact)
    panic("receive that waits", function(l) return l:receive(0.001, "nothing") end, fill, intact)
    panic("receive_batched", function(l) return l:receive_batched(0, "k", 1, 2) end, fill, either { "three" })
    panic("get", function(l) return l:get("k", 3) end, fill, intact)
    panic("set", function(l) l:set("k", "new", { "newer" }) end, fill, either { "new", "newer" })
    panic("clear", function(l) l:set "k" end, fill, either {})
    panic("settings", function(l)
        l:limit("k", 3)
        l:limit("k", "unlimited")
        l:restrict("k", "set/get")
        l:restrict("k", "none")
        return l:limit "k", l:restrict "k", l:count(), l:count("k", "l"), l:dump(), tostring(l), l.status, l == linda, l .. "", l:deep()
    end, fill, function()
        linda:limit("k", "unlimited")
        linda:restrict("k", "none")
        intact()
    end)
    panic("full", function(l)
        check.eq(select(2, l:send(0, "k", "four")), "timeout")
        check.eq(select(2, l:send(0.001, "k", "four")), "timeout")
    end, function()
        fill()
        linda:limit("k", 3)
        return linda
    end, function()
        linda:limit("k", "unlimited")
        intact()
    end)
    panic("cancel", function(l)
        l:cancel "both"
        l:receive(0, "k")
        l:cancel "none"
        l:wake "both"
    end, function()
        -- The peer is not to be cancelled with it.
        local other = lanes.linda()
        other:send("k", 1)
        return other
    end, function(_, worked) if worked then fill() intact() end end)
    panic("keys", function(l) l:send(0, 2 ^ 40 + 0.5, 1) l:send(true, 1) l:send(("key"):rep(30), 1) return l:receive(0, 2 ^ 40 + 0.5, ("key"):rep(30), true) end,
        fill, function()
            for _, key in ipairs { 2 ^ 40 + 0.5, true, ("key"):rep(30) } do linda:set(key) end
            intact()
        end)
    panic("select", function(l) return lanes.select(0, linda, "nothing", l, "k") end, fill, either { "two", "three" })
    panic("locks", function(l)
        local lock = lanes.genlock(l, "lock", 2)
        lock(1)
        lock(-1)
        local add = lanes.genatomic(l, "sum", 0)
        l:set("direct", 0)
        return add(1), l:atomic_add("direct", 1)
    end, fill, function()
        linda:set "lock" linda:limit("lock", "unlimited") linda:set "sum" linda:set "direct"
        intact()
    end)
end
transfers()
-- After 200 calls other code does the same (LuaJIT: compiled; 4.x: faster methods).
for i = 1, 300 do
    linda:send("warm", i)
    linda:receive("warm")
end
transfers()
linda:set("k")

-- Compiled code keeps the closures that it was made from, and the handles in
-- them: from here on it is looked at what is left.
if jit then
    jit.off()
    jit.flush()
end

-- Nothing of a lane, or all of it. What has started can be cancelled and ends.
local function nobody()
    lane.becomes("no other lane is left", function()
        collectgarbage()
        for _, info in ipairs(lanes.threads()) do
            if info.name == "short" then return false end
        end
        return true
    end)
end
panic("gen", function()
    return lanes.gen("*", { name = "n", globals = { g = { 1 } }, priority = 0, required = { "counter" } }, function(...) return ... end)
end, nil, function(_, worked, gen)
    if worked then check.eq(gen(5)[1], 5) end
end)
local gen = lanes.gen("*", { name = "short", globals = { g = { "global" } }, required = { "counter" }, gc_cb = function() end }, function(l, c, t)
    set_finalizer(function() l:send("ran", g[1]) end)
    return t, c
end)
panic("start", function() return gen(linda, counter.new(1), { "t", counter.point(1, 2) }) end, function()
    nobody()
    linda:set "ran"
end, function(place, worked, h)
    if worked then
        check.eq(h:join(10), true)
        check.eq(linda:count "ran", 1)
    elseif place ~= "after the work" then
        check.eq(linda:count "ran" or 0, 0)
    end
end)
local source = lanes.gen("*", { name = "short" }, "return ...")
panic("start of a source", function() return source(1, 2) end, nobody, function(place, worked, h)
    if worked then check.eq(h[1] + h[2], 3) end
end)
nobody()

local h
local function ends(kind)
    return function()
        h = lanes.gen("*", { name = "short", error_trace_level = "extended" }, function(kind, c)
            if kind == "error" then error { "an error", c } end
            return { "a result" }, c
        end)(kind, counter.new(1))
        lane.reaches(h, kind)
        return h
    end
end
for _, kind in ipairs { "done", "error" } do
    local function known()
        local ok, value = h:join(10)
        check.eq(value[1], kind == "done" and "a result" or "an error")
        check.eq(ok, kind == "done" or nil)
        h = nil
    end
    panic("join " .. kind, function(h) return h:join() end, ends(kind), known)
    panic("index " .. kind, function(h) return h[kind == "done" and 1 or -1], h.status, tostring(h), h:get_threadname(), h.error_trace_level end,
        ends(kind), known)
    panic("cancel " .. kind, function(h) return h:cancel("hard", 1) end, ends(kind), known)
end
panic("cancel", function(h) h:cancel("soft", 0, true) h:cancel("count", 100, 5) return h:cancel("hard", 10) end, function()
    h = lanes.gen("*", { name = "short" }, function(l) while true do l:receive "never" end end)(linda)
    return lane.reaches(h, "waiting")
end, function()
    check.is_true(h:cancel("hard", 10))
    lane.reaches(h, "cancelled")
    h = nil
end)
panic("join with timeout", function(h) return h:join(0.001) end, function()
    h = lanes.gen("*", { name = "short" }, function(l) return l:receive "go" end)(linda)
    return lane.reaches(h, "waiting")
end, function()
    linda:send("go", 1)
    check.eq(h:join(10), true)
    h = nil
end)

-- A lane that yields: it is suspended or can be ended, whatever has panicked here.
local coro = lanes.coro("*", { name = "short" }, function(c)
    local got = c
    while true do got = coroutine.yield({ "yielded" }, got) end
end)
panic("resume", function(h) return h:resume { "resumed" } end, function()
    h = lane.reaches(coro(counter.new(1)), "suspended")
    return h
end, function()
    lane.reaches(h, "suspended")
    check.eq(h:resume(1)[1], "yielded")
    check.eq(h:join(10), true)
    h = nil
end)
panic("close", function(h) return h:join() end, function()
    h = lane.reaches(coro(counter.new(1)), "suspended")
    return h
end, function()
    check.eq(h:join(10), true)
    h = nil
end)
nobody()

panic("threads", function() return lanes.threads() end, nil, function() check.is_true(#lanes.threads() >= 1) end)
panic("timer", function()
    lanes.timer(linda, "tick", 0.01, 0.01)
    lanes.timers()
    lanes.timer(linda, "tick", 0)
end, nil, function()
    lanes.timer(linda, "tick", 0)
    check.eq(#lanes.timers(), 0)
    lanes.timer(linda, "tock", 0.01)
    check.results(2, linda:receive(10, "tock"))
    linda:set "tick"
end)
panic("linda", function() return lanes.linda { name = "another", close_handler = function() end } end, nil, function(_, worked, l)
    if worked then check.eq(l:send("k", 1), true) end
end)
panic("others", function()
    lanes.sleep(0)
    lanes.finally(function() end)
    lanes.register("registered", { f = function() end })
    return lanes.nameof(io.write), lanes.now_secs(), lanes.thread_priority_range()
end)
if package.config:sub(1, 1) == "/" then
    -- Its code is compiled at first use, see above.
    assert(lanes.share(io.tmpfile()))
    panic("share", function(f) linda:send("file", lanes.share(f)) end, io.tmpfile, function()
        linda:set "file"
        fill()
        intact()
    end)
    panic("open", function(share) return share:open() end, function() return lanes.share(io.tmpfile()) end, function(_, worked, f)
        if worked then f:close() end
    end)
end

-- What is collected is let go of, although dropping it panics.
local function collects(what, make)
    local kept
    panic("collected " .. what, function()
        kept = nil
        collectgarbage()
        collectgarbage()
    end, function() kept = make() end, function()
        -- The thread of a lane may be about to let go.
        lane.becomes(what .. ": no shared object is left", function()
            collectgarbage()
            return counter.live() == 0
        end)
    end)
end
collects("linda", function()
    local l = lanes.linda()
    l:send("k", counter.new(1), { l })
    l:set("k", counter.new(2))
    return l
end)
collects("counter", function() return { counter.new(1), counter.new(2) } end)
collects("handle", function()
    return lane.reaches(lanes.gen("*", function(...) return ... end)(counter.new(1)), "done")
end)
collects("generator", function()
    return lanes.gen("*", { globals = { c = 1 } }, function() end)
end)
h = nil

-- The same on the threads of lanes: one that is hit ends with the error, all
-- others go on.
local function everything(l, c, name)
    local lanes = require "lanes"
    lane_threadname(name)
    set_finalizer(function(err) l:set("final", tostring(err)) end)
    require "check"
    local mine = lanes.linda()
    mine:send("m", { 1, c }, l, "x")
    mine:receive(0, "a", "m")
    mine:receive_batched(0, "m", 1, 2)
    mine:set("m", 1)
    mine:get("m", 1)
    mine:limit("m", 2)
    mine:restrict("m", "set/get")
    mine:dump()
    mine:count()
    mine:cancel()
    local lock = lanes.genlock(l, "lane's lock", 1)
    lock(1)
    lock(-1)
    assert(lanes.gen("*", { name = "short" }, function(c) return c end)(c):join())
    lanes.timer(l, "lane's tick", 0)
    mine = nil
    collectgarbage()
    l:send("done", name)
    return { c }, name
end
local body = lanes.gen("*", { name = "short", error_trace_level = "extended" }, everything)
local yielding = lanes.coro("*", { name = "short" }, function(l, c, name)
    set_finalizer(function() l:send("done", name) end)
    local got = coroutine.yield({ c }, name)
    return coroutine.yield(got)
end)
local function ends_well(what, start, drive)
    local n = 0
    -- Our own code is compiled at first use, see above.
    check.eq(select(2, drive(start(linda, counter.new(0), "name"))), true)
    repeat
        n = n + 1
        local where = what .. ", point " .. n
        collectgarbage()
        collectgarbage "stop"
        -- Nobody else passes a point now.
        lane.reaches(peer, "waiting")
        faults.arm_elsewhere(n)
        local h = start(linda, counter.new(n), "name")
        local raised, ok, value = drive(h)
        local place = faults.disarm()
        collectgarbage "restart"
        where = where .. " (" .. tostring(place) .. "): " .. tostring(value)
        if ok then
            check.eq(h.status, "done", where)
            check.is_true(not place or place == "while dropping" or raised, where)
        else
            check.eq(ok, nil, where)
            check.eq(h.status, "error", where)
            check.is_true(place and tostring(value):find("internal error, please report it", 1, true), where)
        end
        for _, key in ipairs { "done", "final", "lane's lock", "lane's tick" } do
            linda:limit(key, "unlimited")
            linda:set(key)
        end
        fill()
        intact()
        h, value = nil
        lane.becomes(where .. ": no shared object is left", function()
            collectgarbage()
            return counter.live() == 0
        end)
        nobody()
    until not place
    if os.getenv "PANICS_SHOWN" then print(what, n - 1) end
    check.is_true(n > 5)
end
ends_well("lane", body, function(h) return false, h:join(10) end)
ends_well("coroutine lane", yielding, function(h)
    local raised
    for _ = 1, 2 do
        lane.becomes("it is suspended or has ended", function() return h.status == "suspended" or h.status == "error" or h.status == "done" end)
        -- What it had yielded may be what could not be packed.
        if h.status == "suspended" then
            local ok, value = pcall(h.resume, h, { "resumed" })
            raised = raised or not ok and check.is_true(tostring(value):find("internal error, please report it", 1, true), value)
        end
    end
    return raised, h:join(10)
end)

-- None stays on the register whose start has failed.
lanes.finally(function(ended)
    if not ended then print "the program's end waits for a lane that never ran" end
end)
linda:send("ask", "stop", "")
check.gives(check.list(true, "stopped"), peer:join(10))
check.done()
