-- What the benchmark scripts share.
--
-- A script takes `name=value` arguments and prints one line,
-- `value=... seconds=... count=...`, after it has checked what it measured.
-- The scripts run on rlanes and on other modules with Lanes' interface, 3.x or
-- 4.x, so what differs between those is here.
local bench = {}

-- The arguments, with defaults; what has a number as its default is one.
function bench.options(defaults)
    local options = {}
    for name, value in pairs(defaults) do
        options[name] = value
    end
    for _, word in ipairs(arg) do
        local name, value = word:match("^([%w_]+)=(.*)$")
        if not name then
            error("not name=value: " .. word, 0)
        end
        if defaults[name] == nil then
            error("unknown option: " .. name, 0)
        end
        if type(defaults[name]) == "number" then
            value = tonumber(value) or error(name .. " is not a number: " .. value, 0)
        end
        options[name] = value
    end
    return options
end

-- The module, ready for use.
function bench.lanes(settings)
    local lanes = require "lanes"
    if not (settings and settings.with_timers) then
        settings = { with_timers = false }
    end
    if lanes.configure then
        lanes.configure(settings)
    end
    return lanes
end

-- Whether a linda has a method; 4.x raises when there is no such field.
function bench.has(linda, method)
    local ok, value = pcall(function() return linda[method] end)
    return ok and value ~= nil
end

-- Both 3.x and 4.x can make a queue unlimited by not limiting it.
function bench.limit(linda, key, limit)
    if limit ~= "none" then
        linda:limit(key, tonumber(limit))
    end
end

-- Ends the calling thread's wandering if the two sides are to be apart.
-- `side` is 0 or 1.
function bench.pin(place, side)
    if place == "two" then
        require("lanes").set_thread_affinity(side == 0 and 1 or 2)
    end
end

-- Waits for a lane's end, raises its error, gives its first result.
function bench.join(lane)
    return lane[1]
end

-- Waits until all these lanes are blocked.
function bench.blocked(handles)
    for _, handle in ipairs(handles) do
        while handle.status ~= "waiting" do
            if handle.status == "error" then
                return handle[1]
            end
            require("lanes").sleep(0.001)
        end
    end
end

-- A receive on many keys written as a program would write it, not with unpack.
function bench.receive_any(keys)
    local names = {}
    for i, key in ipairs(keys) do
        names[i] = ("%q"):format(key)
    end
    local source = "local linda, timeout = ... return linda:receive(timeout, " .. table.concat(names, ", ") .. ")"
    return assert((loadstring or load)(source))
end

-- KiB of memory that the process has resident.
function bench.resident()
    collectgarbage()
    collectgarbage()
    for line in io.lines("/proc/self/status") do
        local kib = line:match("^VmRSS:%s*(%d+) kB")
        if kib then
            return tonumber(kib)
        end
    end
    error("no VmRSS")
end

function bench.report(value, seconds, count)
    print(("value=%.9g seconds=%.6f count=%d"):format(value, seconds, count))
end

-- What most rows report: things per second.
function bench.rate(seconds, count)
    bench.report(count / math.max(seconds, 1e-9), seconds, count)
end

return bench
