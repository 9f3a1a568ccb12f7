-- Priorities and processors: ranges are checked, and nothing breaks
-- needs: linux
local check = require "check"
local lanes = require "lanes"

local min, max = lanes.thread_priority_range()
check.eq(min, -3)
check.eq(max, 3)
for p = -3, 3 do
    check.gives(check.list(true), lanes.gen("*", { priority = p }, function() end)():join())
    lanes.gen("*", function(p) require "lanes".set_thread_priority(p) end)(p):join()
end
for _, bad in ipairs { -4, 4 } do
    check.raises("riority out of range", lanes.gen("*", { priority = bad }, function() end))
    check.raises("riority out of range", lanes.set_thread_priority, bad)
end
local nmin, nmax = lanes.thread_priority_range "native"
check.is_true(nmax > nmin)
check.raises("riority out of range", lanes.gen("*", { native_priority = nmax + 1 }, function() end))
check.raises("invalid affinity (0)", lanes.set_thread_affinity, 0)
check.raises("invalid affinity (-1)", lanes.set_thread_affinity, -1)
lanes.gen("*", function() require "lanes".set_thread_affinity(1) end)():join()
check.raises("not implemented", lanes.set_singlethreaded, 1)

check.done()
