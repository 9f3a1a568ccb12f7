-- Lanes name their threads, and rename them
-- needs: linux
local check = require "check"
local lanes = require "lanes"

local function comm()
    local f = assert(io.open "/proc/thread-self/comm")
    local name = f:read "*l"
    f:close()
    return name
end
local main = comm()
check.eq(lanes.gen("*", { name = "abc" }, comm)()[1], "abc")
local h = lanes.gen("*", { name = "abc" }, function()
    lane_threadname "a name that is long"
    return comm()
end)()
check.eq(h[1], "a name that is ")
check.eq(h:get_threadname(), "a name that is long")
check.eq(comm(), main, "the main thread keeps its own")
check.done()
