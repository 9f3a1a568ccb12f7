-- Memory runs out while lanes are made, started, joined, resumed and listed
-- needs: module:oom, module:counter
-- valgrind: yes
-- timeout: 60
local check = require "check"
local lanes = require "lanes".configure { track_lanes = true, with_timers = true }
local counter = require "counter"
local lane = require "lane"
local starve = require "starve"
local linda = lanes.linda()
linda:send("warm", counter.new(1))
linda:set "warm"
collectgarbage()

local function nobody()
    collectgarbage()
    collectgarbage()
    lane.becomes("only the lane of the timers is left", function() return #lanes.threads() == 1 end)
end

starve("gen", function()
    return lanes.gen("*", { name = "n", globals = { g = { 1 } }, priority = 0 }, function(...) return ... end)
end, nil, function(worked, gen)
    if worked then check.eq(gen(5)[1], 5) end
end)

-- What started has its arguments and can be joined; what did not is nowhere.
local gen = lanes.gen("*", { name = "short", globals = { g = { "global" } } }, function(l, c, t)
    set_finalizer(function() l:send("k", c, t, g[1]) end)
    return t, c
end)
local function settled()
    nobody()
    check.eq(linda:count "k" or 0, 0)
end
starve("start", function()
    return gen(linda, counter.new(1), { ("x"):rep(100), counter.point(1, 2) })
end, settled, function(worked, h)
    if not worked then return end
    check.eq(h:join(), true)
    check.eq(linda:count "k", 3)
    linda:set "k"
end)
settled()

local noisy = lanes.gen("*", { error_trace_level = "extended" }, function(c) error { "an error", c } end)
local silent = lanes.gen("*", function(...) return ... end)
for name, make in pairs {
    results = function() return silent({ ("x"):rep(100) }, counter.new(1), check.eq) end,
    error = function() return noisy(counter.new(1)) end,
} do
    local h
    local ends = name == "results" and "done" or "error"
    starve("join " .. name, function() return h:join() end, function()
        h = make()
        lane.reaches(h, ends)
    end, function()
        -- Nothing is half known.
        if name == "results" then
            local ok, t, c = h:join()
            check.eq(ok, true)
            check.eq(t[1], ("x"):rep(100))
            check.eq(c:get(), 1)
        else
            local ok, err, trace = h:join()
            check.eq(ok, nil)
            check.eq(err[1], "an error")
            check.eq(type(trace), "table")
        end
        h = nil
    end)
    starve("index " .. name, function()
        return h[-1], h[name == "results" and 1 or -1], h.status, tostring(h), h:get_threadname()
    end, function()
        h = make()
        lane.reaches(h, ends)
    end, function()
        if name == "results" then check.eq(h[1][1], ("x"):rep(100)) else check.eq(h[-1][1], "an error") end
        h = nil
    end)
end
nobody()

-- A lane that yields: what was not delivered leaves it suspended, and it can go on.
local coro = lanes.coro("*", function(...)
    local got = ...
    for _ = 1, 2 do got = coroutine.yield { "yielded", got } end
    return got
end)
local h
starve("resume", function() return h:resume { ("x"):rep(100) } end, function()
    h = lane.reaches(coro(1), "suspended")
end, function(worked)
    check.is_true(h:cancel("hard", 10))
    h = nil
end)
starve("close", function() return h:join() end, function()
    h = lane.reaches(coro(counter.new(1)), "suspended")
end, function()
    check.eq(h:join(), true)
    h = nil
end)
nobody()

starve("threads", function() return lanes.threads() end, function()
    nobody()
    h = silent()
    h:join()
end, function(worked, list)
    check.is_true(not worked or list[1])
    h = nil
end)
starve("cancel", function() return h:cancel("hard", 5), h:cancel("soft", 0, true), h:cancel("count", 100, 5) end, function()
    h = lanes.gen("*", function(l) l:receive "never" end)(linda)
end, function()
    h:cancel("hard", 10)
    h = nil
end)
starve("gc_cb", function()
    return lanes.gen("*", { gc_cb = function(name) return name .. "!" end }, function() end)()
end)
starve("timer", function() lanes.timer(linda, "tick", 0.01) end, nil, function()
    lanes.timer(linda, "tick", 0)
    lanes.timers()
    linda:set "tick"
end)
check.done()
