-- timers() lists them; cancelling the timer lane ends all
local check = require "check"
local lanes = require "lanes".configure { with_timers = true }

local l, m = lanes.linda(), lanes.linda()
check.eq(#lanes.timers(), 0)
lanes.timer(l, "k", 100)
lanes.timer(m, 7, 50, 5)
lanes.timer(m, 7, 60, 6)
local all = lanes.timers()
check.eq(#all, 2)
for _, t in ipairs(all) do
    check.eq(#t, 3)
    if t[1] == l then
        check.eq(t[2], "k")
        check.eq(#t[3], 1)
        check.is_true(math.abs(t[3][1] - lanes.now_secs() - 100) < 1)
    else
        check.eq(t[1], m)
        check.eq(t[2], 7)
        check.eq(t[3][2], 6)
    end
end

local lane = lanes.timer_lane
check.eq(getmetatable(lane), "Lane")
check.eq(lane:get_threadname(), "LanesTimer")
check.eq(lane.status, "waiting")
check.same({ lane:cancel("hard", 5) }, { true, "cancelled" })
local v, err = lane:join()
check.eq(v, nil)
check.eq(err, lanes.cancel_error)
check.raises("timers are not active", lanes.timer, l, "k", 1)
check.raises("timers are not active", lanes.timers)
check.done()
