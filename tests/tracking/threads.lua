-- threads(): newest first, with names, status and the handles of this state
local check = require "check"
local lanes = require "lanes".configure { track_lanes = true }

check.results(0, lanes.threads())
local l = lanes.linda()
local gen = lanes.gen("*", { name = "one" }, function() l:receive "stop"; return 1 end)
local a = gen()
local b = lanes.gen("*", { name = "two" }, function() return 2 end)()
check.eq(b[1], 2)
repeat lanes.sleep(0.001) until a.status == "waiting"
local all = lanes.threads()
check.eq(#all, 2)
check.eq(all[1].name, "two")
check.eq(all[1].status, "done")
check.eq(all[1].handle, b)
check.eq(all[2].name, "one")
check.eq(all[2].status, "waiting")
check.eq(all[2].handle, a)

-- Ended lanes go with their handle, running ones stay until they end.
all, a, b = nil, nil, nil
collectgarbage()
collectgarbage()
all = lanes.threads()
check.eq(#all, 1)
check.eq(all[1].name, "one")
check.eq(all[1].handle, nil)
l:send("stop", true)
local deadline = lanes.now_secs() + 10
repeat lanes.sleep(0.001) until not lanes.threads() or lanes.now_secs() > deadline
check.results(0, lanes.threads())
check.done()
