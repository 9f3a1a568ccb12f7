-- The table of outcomes: every result of every operation, in the shapes of one
-- generation. The scripts in tests/outcomes give the shapes.
local check = require "check"
local lane = require "lane"

local list, gives = check.list, check.gives
local unpack = table.unpack or unpack

-- `t` holds, for one generation:
--   sent, send_timeout, receive_timeout, set_plain, set_woke, limit_plain, limit_woke, get_none,
--   join_timeout, lane_cancelled: check.lists
--   received(key, value), batch(key, values), got(values), done(values), failed(err, traced): make check.lists
--   receive_batched(linda, timeout, key, n): the call itself
--   linda_cancel, soft_cancel: what blocking calls return when cancelled; nil if there is no such thing
--   cancel_over(status), cancel_pending: of handle:cancel
return function(lanes, t)
    local linda = lanes.linda()

    -- send
    gives(t.sent, linda:send("a", 1))
    gives(t.sent, linda:send(0, "a", 2, nil, "x"))
    linda:limit("full", 0)
    gives(t.send_timeout, linda:send(0, "full", 1))
    gives(t.send_timeout, linda:send(0.01, "full", 1))

    -- receive
    gives(t.received("a", 1), linda:receive("a"))
    gives(t.received("a", 2), linda:receive(0, "b", "a"))
    gives(t.received("a", nil), linda:receive(0, "a"))
    gives(t.received("a", "x"), linda:receive(nil, "a"))
    gives(t.receive_timeout, linda:receive(0, "a"))
    gives(t.receive_timeout, linda:receive(0.01, "a", "b"))

    -- batched receive
    linda:send("a", 1, nil, 3)
    gives(t.receive_timeout, t.receive_batched(linda, 0, "a", 4))
    gives(t.receive_timeout, t.receive_batched(linda, 0.01, "a", 4))
    gives(t.batch("a", list(1, nil)), t.receive_batched(linda, 0, "a", 2))
    gives(t.batch("a", list(3)), t.receive_batched(linda, nil, "a", 1))

    -- set, limit
    gives(t.set_plain, linda:set("s", 1))
    gives(t.set_plain, linda:set "s")
    gives(t.limit_plain, linda:limit("s", 2))
    linda:send("s", 1, 2)
    gives(t.limit_woke, linda:limit("s", 3))
    linda:send("s", 3)
    gives(t.set_woke, linda:set("s", 1))

    -- get
    gives(t.get_none, linda:get "nothing")
    linda:set("g", "value")
    gives(t.got(list("value")), linda:get "g")
    gives(t.got(list("value")), linda:get "g") -- it stays there

    -- join
    local handle = lanes.gen("*", function() end)()
    gives(t.done(list()), handle:join())
    gives(t.done(list()), handle:join())
    handle = lanes.gen("*", function(...) return ... end)(1, nil, "x", nil)
    gives(t.done(list(1, nil, "x", nil)), handle:join())
    gives(t.done(list(1, nil, "x", nil)), handle:join(0))

    -- join of a lane that goes on, and its cancellation
    local blocked = lanes.gen("*", function() linda:receive "never sent" end)()
    gives(t.join_timeout, blocked:join(0))
    gives(t.join_timeout, blocked:join(0.01))
    lane.reaches(blocked, "waiting")
    blocked:cancel() -- hard; the lane is in a call, which raises
    lane.reaches(blocked, "cancelled")
    gives(t.lane_cancelled, blocked:join())
    gives(t.lane_cancelled, blocked:join(1))
    gives(t.cancel_over "cancelled", blocked:cancel(0))

    -- a lane that fails
    for _, err in ipairs { "text", 12, { "table" } } do
        local failing = lanes.gen("*", function(e) error(e, 0) end)(err)
        gives(t.failed(err, list(failing:join())), failing:join())
        gives(t.cancel_over "error", failing:cancel(0))
    end

    -- a hard cancel raises in the call, and the lane can see it; what is called
    -- later raises at once, even if it would succeed
    local catching = lanes.gen("*", function(l)
        local ok1, e1 = pcall(l.receive, l, "never sent")
        local ok2, e2 = pcall(l.send, l, "room", 1)
        local ok3, e3 = pcall(l.receive, l, 0, "room")
        return ok1, type(e1), ok2, e1 == e2, ok3, e1 == e3
    end)(linda)
    lane.reaches(catching, "waiting")
    local busy = lanes.gen("*", function()
        local finish = os.clock() + 0.2
        while os.clock() < finish do end
    end)()
    gives(t.cancel_pending, busy:cancel(0))
    catching:cancel(10)
    gives(t.done(list(false, "userdata", false, true, false, true)), catching:join())
    gives(t.get_none, linda:get "room") -- nothing was sent

    -- a soft cancel is returned
    if t.soft_cancel then
        local soft = lanes.gen("*", function(l, full)
            local check = require "check"
            local first = check.list(l:receive(10, "never sent"))
            return first, check.list(l:receive(10, "never sent")), check.list(l:send(full and 10 or 0, "full", 1)),
                check.list(l:send("room", 1))
        end)
        for _, full in ipairs { true, false } do
            local handle = lane.reaches(soft(linda, full), "waiting")
            handle:cancel("soft", 10, true)
            local found = list(handle:join())
            for i = 1, 4 do
                gives(t.soft_cancel, unpack(found[found.n - 4 + i], 1, found[found.n - 4 + i].n))
            end
        end
        gives(t.get_none, linda:get "room")
    end

    -- a cancelled linda: everything but count and dump returns the cancellation
    if t.linda_cancel then
        local waiting = lanes.gen("*", function(l) return require "check".list(l:receive "never sent") end)(linda)
        lane.reaches(waiting, "waiting")
        gives(list(), linda:cancel "read")
        local found = list(waiting:join())
        found = found[found.n]
        gives(t.linda_cancel, unpack(found, 1, found.n))
        linda:cancel "none"
        linda:send("still here", 1)
        linda:cancel()
        for _ = 1, 2 do
            gives(t.linda_cancel, linda:receive(0, "still here"))
            gives(t.linda_cancel, linda:receive "still here")
            gives(t.linda_cancel, t.receive_batched(linda, 0, "still here", 1))
            gives(t.linda_cancel, linda:send(0, "still here", 2))
            gives(t.linda_cancel, linda:set("still here", 2))
            gives(t.linda_cancel, linda:get "still here")
            gives(t.linda_cancel, linda:limit("still here", 2))
            gives(list(1), linda:count "still here")
            check.eq(linda:dump()["still here"].count, 1)
        end
        gives(list(), linda:cancel "none")
        gives(t.received("still here", 1), linda:receive(0, "still here"))
    end
end
