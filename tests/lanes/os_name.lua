-- A lane's name is the name of its thread in the system, as far as it fits
-- needs: linux
local check = require "check"
local lanes = require "lanes"

local function comm(name)
    local _, found = lanes.gen("*", { name = name }, function()
        local file = assert(io.open "/proc/thread-self/comm")
        local text = file:read "*l"
        file:close()
        return text
    end)():join()
    return found
end
check.eq(comm "worker", "worker")
check.eq(comm "a name of more than fifteen bytes", "a name of more ")

check.done()
