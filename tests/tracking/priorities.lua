-- Priorities: one scale everywhere, checked when a lane starts
local check = require "check"
local lanes = require "lanes"

local function body() return true end
for p = -3, 3 do check.eq(lanes.gen("*", { priority = p }, body)()[1], true) end
check.raises("Priority out of range: -3..+3 (4)", lanes.gen("*", { priority = 4 }, body))
check.raises("Priority out of range: -3..+3 (-4)", lanes.gen("*", { priority = -4 }, body))
local min, max = lanes.thread_priority_range()
check.eq(min, -3)
check.eq(max, 3)
min, max = lanes.thread_priority_range "native"
check.is_true(min < max)
check.raises("Priority out of range", lanes.gen("*", { native_priority = max + 1 }, body))
check.raises("cannot be specified together", lanes.gen, "*", { priority = 1, native_priority = 1 }, body)
check.raises("priority out of range: -3..+3 (-4)", lanes.set_thread_priority, -4)
check.raises("priority out of range", lanes.set_thread_priority, max + 1, "native")
check.results(0, lanes.set_thread_priority(0))
check.raises("invalid affinity (0)", lanes.set_thread_affinity, 0)
check.results(0, lanes.set_thread_affinity(255))
check.raises("not implemented", lanes.set_singlethreaded, 1)
check.results(0, lanes.collectgarbage())
check.done()
