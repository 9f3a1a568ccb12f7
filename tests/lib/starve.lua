-- Calls that run out of memory (see tests/native/oom.c).
local oom = require "oom"
local counter = require "counter"

-- Calls f(before()) again and again: in the n-th call the n-th allocation of
-- this state and all after it fail, until f needs fewer. Each call works or
-- raises for want of memory, and after(worked, results or error) looks at what
-- is left. At the end no shared object may be left.
local function starve(what, f, before, after)
    local n, failed = 0
    local function look(_, worked, ...)
        failed = _
        if not worked then
            local text = tostring((...))
            if not (failed and text:find("not enough memory", 1, true)) then
                error(("%s, allocation %d: %s"):format(what, n, text), 0)
            end
        end
        if after then
            local ok, why = pcall(after, worked, ...)
            if not ok then error(("%s, allocation %d (%s): %s"):format(what, n, worked and "worked" or "raised", why), 0) end
        end
    end
    repeat
        n = n + 1
        if before then
            look(oom.call(n, f, before()))
        else
            look(oom.call(n, f))
        end
    until not failed
    -- What a failed call has parked goes with the next one.
    pcall(require "lanes".linda)
    require "lane".becomes(what .. ": no shared object is left", function()
        collectgarbage()
        return counter.live() == 0
    end)
    if os.getenv "STARVE_SHOWN" then print(what, n) end
    return n
end

return starve
