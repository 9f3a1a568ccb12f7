-- A soft cancel without waking is noticed after the wake period, or when the wait ends
local check = require "check"
local lanes = require "lanes"
local lane = require "lane"
local list, gives = check.list, check.gives

-- with a period: not before it, soon after it
local linda = lanes.linda { wake_period = 0.3 }
local before = lanes.now_secs()
local h = lanes.gen("*", function(l) return l:receive(20, "x") end)(linda)
lane.reaches(h, "waiting")
gives(list(false, "timeout"), h:cancel("soft", 0, false))
gives(list(true, nil, lanes.cancel_error), h:join(10))
local took = lanes.now_secs() - before
check.is_true(took >= 0.299 and took < 5, took)

-- without: the wait is not cut short
linda = lanes.linda { wake_period = "never" }
before = lanes.now_secs()
h = lanes.gen("*", function(l) return l:receive(0.5, "x") end)(linda)
lane.reaches(h, "waiting")
gives(list(false, "timeout"), h:cancel("soft", 0))
h:join(10)
took = lanes.now_secs() - before
check.is_true(took >= 0.499, took)

-- nobody cancels: the whole time
linda = lanes.linda { wake_period = 0.05 }
before = lanes.now_secs()
gives(list(nil, "timeout"), linda:receive(0.4, "x"))
took = lanes.now_secs() - before
check.is_true(took >= 0.399 and took < 2, took)

check.done()
