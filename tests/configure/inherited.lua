-- Lanes work with the settings of their master
local check = require "check"
local lanes = require "lanes".configure { nb_user_keepers = 2, linda_wake_period = 0.05 }

local h = lanes.gen("*", function()
    local lanes = require "lanes"
    assert(lanes.configure { anything = 1 } == lanes)
    local ok, why = pcall(lanes.linda, {})
    assert(not ok and why:find "Group is mandatory", why)
    assert(not pcall(lanes.linda, { group = 3 }))
    local l = lanes.linda { group = 2 }
    local before = lanes.now_secs()
    local v, err = l:receive(10, "k")
    return lanes.now_secs() - before, v, err == lanes.cancel_error
end)()
repeat lanes.sleep(0.001) until h.status == "waiting"
h:cancel("soft", 0)
local seconds, v, cancelled = h[1], h[2], h[3]
check.is_true(seconds < 5, "the period is inherited")
check.eq(v, nil)
check.eq(cancelled, true)
check.done()
