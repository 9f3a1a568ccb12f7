-- A random program, made from a seed.
--
--   program.lua SEED                     one program, with a way out of its own
--   program.lua FIRST-SEED rounds SECONDS   many in one process, memory watched
--
-- Streams of numbered messages go through random slots while bystanders of
-- every kind are started, cancelled and forgotten. No message may get lost or
-- come twice, and those of one sender arrive in order. The program says on its
-- output what its end must look like, for `cargo xtask stress` to check; see
-- tests/README.md.

local unpack = unpack or table.unpack

-- The same numbers on every flavour (Park and Miller's).
local function generator(seed)
    local state = seed % 2147483646 + 1
    local function random(n)
        state = state * 16807 % 2147483647
        return math.floor(state / 2147483647 * n) + 1
    end
    for _ = 1, 5 do random(1) end
    return random
end

local lanes, linda, reports
local PATIENCE = 60 -- seconds after which something that must happen has not

local function wrong(...)
    error("INVARIANT: " .. string.format(...), 0)
end

-- Messages --------------------------------------------------------------------

-- What goes with message `n`; and whether that has come with it.
local function payload(l, n)
    local kind = n % 8
    if kind == 0 then return nil end
    if kind == 1 then return ("x"):rep(n % 97) end
    if kind == 2 then return l end
    if kind == 3 then
        local t = { n, inner = { tostring(n) } }
        t.again, t.self = t.inner, t
        return t
    end
    if kind == 4 then return function() return n end end
    if kind == 5 then return { [l] = { l, n } } end
    if kind == 6 then return setmetatable({ n }, { __index = { n = n } }) end
    return n + 0.5
end

local function intact(l, n, v)
    local kind = n % 8
    if kind == 0 then return v == nil end
    if kind == 1 then return v == ("x"):rep(n % 97) end
    if kind == 2 then return v == l end
    if kind == 3 then return v[1] == n and v.again == v.inner and v.self == v and v.inner[1] == tostring(n) end
    if kind == 4 then return v() == n end
    if kind == 5 then return v[l][1] == l and v[l][2] == n end
    if kind == 6 then return v[1] == n and v.n == n end
    return v == n + 0.5
end

-- Streams ---------------------------------------------------------------------

-- Sends 1..total; reports how many were sent, and how many perhaps (a hook may
-- raise between a send and the note that it was done).
local function sender(l, reports, key, id, seed, total, widest)
    local sent, perhaps = 0, 0
    set_finalizer(function() reports:set("sent:" .. id, { sent, perhaps }) end)
    local random = generator(seed)
    local timeouts = { 0, 0.0005, 0.005, 10, 100 }
    while sent < total do
        local batch = {}
        for i = 1, math.min(random(widest), total - sent) do
            batch[i] = { id, sent + i, payload(l, sent + i), l }
        end
        local timeout = timeouts[random(6)] -- or none
        perhaps = #batch
        local ok, why = l:send(timeout, key, unpack(batch))
        if ok then sent = sent + #batch end
        perhaps = 0
        if not ok and why ~= "timeout" then return "stopped" end
        if random(10) == 1 then collectgarbage "step" end
    end
    return "sent all"
end

-- Receives until there is something in the slot `stop`; reports what came.
local function receiver(l, reports, key, stop, id, seed)
    local got, last = {}, {}
    set_finalizer(function() reports:set("got:" .. id, got) end)
    local lanes = require "lanes"
    local random = generator(seed)
    local function note(message)
        local sender, n = message[1], message[2]
        got[#got + 1] = sender
        got[#got + 1] = n
        if n <= (last[sender] or 0) then wrong("%s from %s after %s", n, sender, last[sender]) end
        last[sender] = n
        if not intact(l, n, message[3]) or message[4] ~= l then wrong("message %s is damaged", n) end
    end
    -- Answers whether it is over.
    local function take(k, a, b, c)
        if k == key then
            note(a)
            if b then note(b) end
            if c then note(c) end
        elseif k == stop then
            return true
        elseif k ~= nil then
            wrong("received from %s", tostring(k))
        elseif a ~= "timeout" then
            return true -- cancelled
        end
    end
    local over
    repeat
        local way = random(6)
        local timeout = ({ 0, 0.0005, 0.005 })[random(3)]
        if way == 1 then over = take(l:receive(nil, key, stop))
        elseif way == 2 then over = take(l:receive(timeout, stop, key))
        elseif way == 3 then over = take(l:receive_batched(timeout, key, random(2), 3))
        elseif way == 4 then
            local from, k, v = lanes.select(timeout, reports, "nothing", l, key, l, stop)
            if from then over = take(k, v) else over = take(nil, k) end
        elseif way == 5 then over = take(l:receive(timeout, key))
        else over = take(l:receive(100, key, stop))
        end
    until over
end

-- Bystanders ------------------------------------------------------------------
--
-- Each is one way to keep a lane busy. Whatever happens to it must not disturb
-- the streams. `random` is its own generator, `l` is for bystanders only.

local bystanders = {
    function(random, l) l:receive "never" end,
    function(random, l) l:receive(random(20) / 1000, "never", "b") end,
    function(random, l) l:send("full", random(9)) end,
    function(random, l) for i = 1, random(50) do l:send(0, "k" .. random(5), { l, i }) l:receive(0, "k" .. random(5)) end end,
    function(random, l) l:set("s" .. random(3), unpack({ 1, 2, 3 }, 1, random(3))) l:limit("s" .. random(3), random(5)) l:dump() l:count() end,
    function(random, l) require "lanes".sleep(random(30) / 1000) end,
    function(random, l) for i = 1, random(20) do require "lanes".sleep(0.001) if cancel_test() then return end end end,
    function(random, l) require "lanes".sleep() end,
    function(random, l) while not cancel_test() do end end,
    function(random, l) local n = 0 for i = 1, random(200) * 1000 do n = n + i % 7 end return n end,
    function(random, l) local function f(n) return n == 0 and 0 or 1 + f(n - 1) end for i = 1, 300 do f(60) end end,
    function(random, l) error(({ "intended", { "intended" }, l, 42, false })[random(5)]) end,
    function(random, l) error() end,
    function(random, l) set_finalizer(function() error "intended" end) end,
    function(random, l) set_finalizer(function() l:set("finalized", l) pcall(l.send, l, 0, "f", 1) end) l:receive(random(20) / 1000, "never") end,
    function(random, l) set_finalizer(function() l:receive(0.005, "never") end) l:receive "never" end,
    function(random, l) for _ = 1, random(20) do pcall(l.receive, l, 0.005, "never") end end,
    function(random, l) return function() return l end, { l, l }, nil end,
    function(random, l) return coroutine.create(function() end) end,
    function(random, l)
        local h = {}
        for i = 1, random(4) do
            h[i] = require "lanes".gen("*", function(l) l:receive(0.01, "never") return l end)(l)
        end
        if random(2) == 1 then h[1]:join(0.002) end
        if random(2) == 1 then h[1]:cancel("hard", 0) end
        if random(2) == 1 then for i = 1, #h do h[i]:join() end end
    end,
    function(random, l) -- a chain: each starts the next
        local function link(n)
            if n > 0 then return require "lanes".gen("*", link)(n - 1) and n end
        end
        link(random(5))
    end,
    function(random, l)
        local co = coroutine.wrap(function()
            while true do coroutine.yield(l:receive(0.001, "never")) end
        end)
        for _ = 1, random(20) do co() end
    end,
    function(random, l, watched)
        local h = require "lanes".coro("*", function(l)
            set_finalizer(function() l:set("finalized", 1) end)
            for i = 1, 5 do coroutine.yield(i, l) end
        end)(l)
        for i = 1, random(5) do h:resume(i) end
        -- Nobody would ever close it if its handle went.
        if random(3) > 1 or watched:count "rounds" then h:join() end
    end,
    function(random, l)
        local lanes = require "lanes"
        local own = lanes.linda()
        lanes.timer(own, "tick", random(3) / 1000, random(2) == 1 and 0.001 or nil)
        own:receive(0.05, "tick")
        if random(4) > 1 then lanes.timer(own, "tick", nil) end
    end,
    function(random, l) -- lindas in lindas, as keys, in cycles that are cut
        local lanes = require "lanes"
        local a, b = lanes.linda(), lanes.linda()
        a:send(b, { a, b })
        b:send("a", a, a)
        l:send(0, "deep", { [a] = b })
        l:receive(0, "deep")
        a:set(b)
        b:set("a")
    end,
    function(random, l)
        local ok, counter = pcall(require, "counter")
        if not ok then return end
        local c = counter.new(1)
        for i = 1, 20 do l:send(0, "c", c) local _, d = l:receive(0, "c") end
        return c
    end,
    function(random, l) package.loaded.check = nil require "check" collectgarbage() end,
    function(random, l) for i = 1, 20 do collectgarbage() l:send(0, "g", {}) l:set "g" end end,
    function(random, l) l:wake() l:cancel(({ "both", "read", "write" })[random(3)]) l:cancel "none" end,
    function(random, l)
        local add = require "lanes".genatomic(l, "private" .. random(1000000), 0)
        for _ = 1, 50 do add(1) end
    end,
    function(random, l, watched) -- what one set puts there is seen whole or not at all
        for i = 1, 30 do
            local tag = random(1000000)
            watched:set("watched", tag, tag, tag)
            local n, a, b, c = watched:get("watched", 3)
            if n ~= 0 and (n ~= 3 or a ~= b or b ~= c) then wrong("torn: %d %s %s %s", n, tostring(a), tostring(b), tostring(c)) end
        end
    end,
}

-- Coroutine lanes: some end by themselves, some have to be closed.
local yielder = function(seed, l)
    local random = generator(seed)
    set_finalizer(function() l:set("finalized", seed) end)
    for i = 1, random(6) do
        local more = coroutine.yield(i, l, { i })
        if random(3) == 1 then l:receive(random(5) / 1000, "never") end
        if more == "fail" then error "intended" end
    end
end

-- A body for each, with only what it needs as upvalues.
local function bodies()
    local list = {}
    for i, f in ipairs(bystanders) do
        list[i] = function(seed, l, watched) return f(generator(seed), l, watched) end
    end
    return list
end

-- A program -------------------------------------------------------------------

-- Waits for the end of a lane and answers how it ended.
local function ended(h, what)
    pcall(h.join, h, PATIENCE) -- (raises when the results cannot travel)
    local status = h.status
    if status ~= "done" and status ~= "error" and status ~= "cancelled" then
        wrong("%s has not ended: %s", what, status)
    end
    return status
end

-- Runs the program of a seed. Answers a table with what is still alive: with
-- `early` the streams may still flow, else all was accounted for. In `rounds`
-- nothing is left but lanes that end when `bystand` is cancelled.
local function run(seed, early, rounds)
    local random = generator(seed)
    local some = bodies()
    local bystand, watched = lanes.linda(), lanes.linda()
    reports = lanes.linda()
    bystand:limit("full", 0)
    if rounds then watched:set("rounds", true) end
    local alive = { reports = reports, bystand = bystand }

    local lindas = {}
    for i = 1, random(2) do lindas[i] = lanes.linda { name = "l" .. i } end
    local keys = { "a", "b", 1, 2.5, true, false, bystand }

    local streams = {}
    for s = 1, random(4) do
        local stream = {
            linda = lindas[random(#lindas)], key = table.remove(keys, random(#keys)), stop = "stop" .. s,
            senders = {}, receivers = {},
        }
        streams[s] = stream
        local limits = { "unlimited", 3, 4, 10, 100 }
        stream.limit = limits[random(#limits)]
        if random(2) == 1 then stream.linda:restrict(stream.key, "send/receive") end
        stream.linda:limit(stream.key, stream.limit)
        local function launch(list, n, body, ...)
            for i = 1, n do
                local id = s .. "." .. i
                local arguments = { ... }
                local h
                if body == sender then
                    local total = random(4) == 1 and random(300) or random(40)
                    h = lanes.gen("*", sender)(stream.linda, reports, stream.key, id, random(1e9), total, random(3))
                    list[i] = { h = h, id = id, total = total }
                else
                    h = lanes.gen("*", receiver)(stream.linda, reports, stream.key, stream.stop, id, random(1e9))
                    list[i] = { h = h, id = id }
                end
            end
        end
        launch(stream.senders, random(3), sender)
        launch(stream.receivers, random(3), receiver)
    end

    -- The conductor.
    local others, coros = {}, setmetatable({}, { __mode = "k" })
    local function cancel(h)
        local mode = random(8)
        local timeout = ({ 0, 0, 0.0005, 0.005 })[random(4)]
        if mode == 1 then h:cancel("soft", timeout)
        elseif mode == 2 then h:cancel("soft", timeout, true)
        elseif mode <= 4 then h:cancel("hard", timeout)
        elseif mode == 5 then h:cancel("hard", timeout, false)
        else h:cancel(({ "count", "line", "call", "ret", "all" })[random(5)], random(100), timeout) return true
        end
    end
    local function drop(i)
        if rounds then others[i]:cancel("hard", 0) end
        others[i] = others[#others]
        others[#others] = nil
    end
    local steps = random(60)
    for step = 1, steps do
        local what = random(18)
        local i = random(math.max(#others, 1))
        local h = others[i]
        if what <= 5 or not h then
            if #others < 30 then
                local coro = random(6) == 1
                local options = {
                    name = random(4) == 1 and "bystander " .. step or nil,
                    error_trace_level = ({ "minimal", "basic", "extended" })[random(3)],
                    gc_cb = random(4) == 1 and function(name, status) collected = status end or nil,
                    globals = random(4) == 1 and { given = { step } } or nil,
                }
                local body = coro and yielder or some[random(#some)]
                local new = lanes[coro and "coro" or "gen"]("*", options, body)(random(1e9), bystand, watched)
                others[#others + 1] = new
                coros[new] = coro
            end
        elseif what <= 8 then cancel(h)
        elseif what == 9 then drop(i)
        elseif what == 10 then collectgarbage()
        elseif what == 11 then pcall(h.join, h, random(3) / 1000)
        elseif what == 12 then
            local status = h.status
            if status == "done" then pcall(function() return h[1] end) end
            if status == "error" then h:join() end
        elseif what == 13 then
            local stream = streams[random(#streams)]
            stream.linda:limit(stream.key, random(2) == 1 and 0 or 3)
            stream.linda:limit(stream.key, stream.limit)
            stream.linda:wake()
        elseif what == 14 then bystand:cancel() bystand:cancel "none" bystand:dump()
        elseif what == 15 then reports:receive(random(3) / 1000, "nothing")
        elseif what <= 17 then
            if coros[h] then pcall(h.resume, h, random(5) == 1 and "fail" or { step }) end
        else
            -- Into the streams themselves.
            local stream = streams[random(#streams)]
            local list = random(2) == 1 and stream.senders or stream.receivers
            local one = list[random(#list)]
            one.hooked = cancel(one.h) or one.hooked
            one.cancelled = true
        end
    end
    alive.others, alive.streams = others, streams
    if early then return alive end

    -- Accounting. A stream may have lost all its receivers to cancellation.
    for s, stream in ipairs(streams) do
        local heir = { id = s .. ".heir" }
        heir.h = lanes.gen("*", receiver)(stream.linda, reports, stream.key, stream.stop, heir.id, random(1e9))
        table.insert(stream.receivers, heir)
    end
    local function how(one, what)
        local status = ended(one.h, what .. " " .. one.id)
        if status == "error" then
            local _, err = one.h:join()
            wrong("%s %s: %s", what, one.id, tostring(err))
        end
        if status == "cancelled" and not one.cancelled then wrong("%s %s was not cancelled", what, one.id) end
    end
    for s, stream in ipairs(streams) do
        for _, one in ipairs(stream.senders) do how(one, "sender") end
        for _ in ipairs(stream.receivers) do stream.linda:send(stream.stop, true) end
        for _, one in ipairs(stream.receivers) do how(one, "receiver") end
        local seen, count, loss = {}, {}, 0
        local function note(id, n)
            if seen[id .. ":" .. n] then wrong("message %s of sender %s came twice", n, id) end
            seen[id .. ":" .. n] = true
            count[id] = (count[id] or 0) + 1
        end
        for _, one in ipairs(stream.receivers) do
            local _, got = reports:get("got:" .. one.id)
            if not got and not one.cancelled then wrong("receiver %s has not reported", one.id) end
            for i = 1, #(got or {}) - 1, 2 do note(got[i], got[i + 1]) end
            -- A hook may raise between a receive and the note of it, and in
            -- the finalizer that reports.
            if one.hooked then loss = loss + (got and 3 or math.huge) end
        end
        while true do
            local key, message = stream.linda:receive(0, stream.key)
            if key == nil then break end -- (false is a key)
            note(message[1], message[2])
        end
        for _, one in ipairs(stream.senders) do
            local _, sent = reports:get("sent:" .. one.id)
            if not sent and not one.cancelled then wrong("sender %s has not reported", one.id) end
            sent = sent or { 0, math.huge }
            if not one.cancelled and sent[1] ~= one.total then wrong("%s sent %d of %d", one.id, sent[1], one.total) end
            local got = count[one.id] or 0
            local perhaps = one.hooked and sent[2] or 0
            if got > sent[1] + perhaps then wrong("%s: %d of %d messages", one.id, got, sent[1]) end
            local lost = sent[1] - got
            if lost > 0 then
                loss = loss - lost
                if loss < 0 then wrong("%s: %d of %d messages arrived", one.id, got, sent[1]) end
            end
        end
    end
    if not rounds and random(2) == 1 then return alive end
    for i, h in ipairs(others) do
        h:cancel(jit and "line" or "count", 1, 0)
    end
    for i, h in ipairs(others) do
        if ended(h, "bystander " .. i) == "error" then
            local _, err = h:join()
            if tostring(err):find "INVARIANT" then error(err, 0) end
        end
    end
    alive.others = {}
    return alive
end

-- The ways out ----------------------------------------------------------------

local function traceback(message)
    return [[(?s)\A[^\n]*]] .. message .. [[[^\n]*(\nstack traceback:\n(\s[^\n]*\n?)*)?\n?\z]]
end

local ways = {
    { 0, "", function() end },
    { 0, "", function() end },
    { 1, traceback "leaving by an error", function() error "leaving by an error" end },
    { 3, "", function() os.exit(3) end },
    { 3, "", function() os.exit(3, true) end },
    { 4, "", function() lanes.gen("*", function() os.exit(4) end)():join() end },
    { 4, "", function() lanes.gen("*", function() os.exit(4, true) end)():join() end },
    { 1, traceback "interrupted!", function()
        local stat = assert(io.open "/proc/self/stat")
        local pid = stat:read "*l":match "%d+"
        stat:close()
        killer = io.popen("exec kill -INT " .. pid)
        while true do linda:receive(0.001, "never") end
    end },
}

local seed = tonumber(arg[1]) or error "a seed is needed"
local random = generator(seed)

if arg[2] ~= "rounds" then
    lanes = require "lanes".configure {
        shutdown_timeout = ({ 0.02, 0.05, 0.1 })[random(3)],
        with_timers = true,
        track_lanes = random(2) == 1,
        strip_functions = random(2) == 1,
        verbose_errors = random(2) == 1,
    }
    linda = lanes.linda()
    local way, early = ways[random(#ways)], random(3) == 1
    if random(3) == 1 then
        lanes.finally(function(all) linda:set("finally", all) end)
    end
    print("status", way[1])
    print("stderr", way[2])
    io.stdout:flush()
    alive = run(random(1e9), early)
    if random(2) == 1 then alive = nil collectgarbage() end
    print "leaving"
    io.stdout:flush()
    way[3]()
    return
end

-- Rounds ----------------------------------------------------------------------

local process = require "process"
lanes = require "lanes".configure { with_timers = true, track_lanes = true }
local begun, seconds = lanes.now_secs(), tonumber(arg[3])
local samples, rounds = {}, 0
print("status", 0)
print("stderr", "")
io.stdout:flush()
while lanes.now_secs() - begun < seconds do
    rounds = rounds + 1
    local ok, result = pcall(run, seed + rounds, false, true)
    if not ok then error("seed " .. seed + rounds .. ": " .. tostring(result), 0) end
    -- Nothing is left over by the round: who was forgotten ends now.
    result.bystand:cancel()
    result = nil
    local patience = lanes.now_secs() + PATIENCE
    repeat
        collectgarbage()
        lanes.sleep(0.001)
        local left = lanes.threads() or {}
        if lanes.now_secs() > patience then wrong("seed %d: %d lanes have not ended", seed + rounds, #left - 1) end
    until #left <= 1 -- the timers
    if rounds % 2 == 0 then samples[#samples + 1] = process.memory() end
end
-- The peak of the last third against that of the second one.
local function peak(first, last)
    local high = 0
    for i = first, last do high = math.max(high, samples[i]) end
    return high
end
local third = math.floor(#samples / 3)
if third < 3 then
    print("memory\ttoo few rounds to judge: " .. rounds)
    return print "leaving"
end
local before, after = peak(third + 1, 2 * third), peak(2 * third + 1, #samples)
print(string.format("memory\t%d rounds, %d KiB, then %d KiB (%.2f), %d threads", rounds, before, after, after / before, process.threads()))
if after > before * 1.25 + 4096 then
    error("INVARIANT: memory grows: " .. table.concat(samples, " "), 0)
end
print "leaving"
