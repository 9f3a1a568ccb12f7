-- Calls in which something panics (see crates/lane/src/raw/faults.rs).
local faults = require "lanes.faults"

-- Calls f(before()) again and again: in the n-th call the n-th point that this
-- thread passes panics, until f passes fewer. A call in which one has panicked
-- raises the text of an internal error, and after(place, worked, results or
-- error) looks at what is left. A panic while something is dropped has nobody
-- to be told; with `spared`, the call may also do without what has panicked.
local function panic(what, f, before, after, spared)
    local n = 0
    local function look(worked, ...)
        local place = faults.disarm()
        collectgarbage "restart"
        local where = ("%s, point %d (%s): "):format(what, n, tostring(place))
        if not place then
            if not worked then error(where .. tostring((...)), 0) end
        elseif worked then
            if place ~= "while dropping" and not spared then error(where .. "no error was raised", 0) end
        elseif not tostring((...)):find("internal error, please report it", 1, true) then
            error(where .. tostring((...)), 0)
        end
        if after then
            local ok, why = pcall(after, place, worked, ...)
            if not ok then error(where .. tostring(why), 0) end
        end
        return place
    end
    -- The arguments of f, without a table that would be an object more.
    local function call(...)
        -- What the collector does is no part of the call.
        collectgarbage()
        collectgarbage "stop"
        faults.arm(n)
        return look(pcall(f, ...))
    end
    local place
    repeat
        n = n + 1
        if before then place = call(before()) else place = call() end
    until not place
    if os.getenv "PANICS_SHOWN" then print(what, n - 1) end
    return n - 1
end

return panic
