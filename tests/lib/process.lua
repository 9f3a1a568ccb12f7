-- What the system says of this process.
local process = {}

-- Resident memory in KiB (Linux).
function process.memory()
    local file = assert(io.open "/proc/self/status")
    local text = file:read "*a"
    file:close()
    return tonumber(text:match "VmRSS:%s*(%d+)")
end

-- How many threads there are (Linux).
function process.threads()
    local file = assert(io.open "/proc/self/status")
    local text = file:read "*a"
    file:close()
    return tonumber(text:match "Threads:%s*(%d+)")
end

-- Processor time of all threads so far, in seconds.
process.time = os.clock

return process
