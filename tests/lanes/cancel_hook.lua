-- A lane that runs Lua code without looking is stopped by a hook
local check = require "check"
local lanes = require "lanes"
local list, gives = check.list, check.gives
local linda = lanes.linda()

local function busy(l)
    if jit then jit.off(true, true) end -- compiled loops see no hook
    l:send("started", true)
    local function step(i) return i + 1 end
    local i = 0
    while true do i = step(i) end
end
local function start()
    local h = lanes.gen("*", busy)(linda)
    linda:receive(10, "started")
    return h
end

for _, mode in ipairs { "count", "line", "call", "ret", "all" } do
    -- neither soft nor hard is noticed
    local h = start()
    gives(list(false, "timeout"), h:cancel("soft", 0.01, true))
    gives(list(false, "timeout"), h:cancel("hard", 0.01))
    check.eq(h.status, "running")
    gives(list(true, "cancelled"), h:cancel(mode, 100, 20))
    gives(list(nil, lanes.cancel_error), h:join())
    -- asked at once, without a timeout: waits for the end
    h = start()
    gives(list(true, "cancelled"), h:cancel(mode, 1))
end

-- finalizers run, with the sentinel
local h = lanes.gen("*", function(l)
    if jit then jit.off(true, true) end
    set_finalizer(function(err) l:set("seen", "not reached: the request is in force") end)
    set_finalizer(function(err) seen = err end)
    l:send("started", true)
    while true do end
end)(linda)
linda:receive(10, "started")
gives(list(true, "cancelled"), h:cancel("line", 1, 20))

-- a blocked lane is woken by it
h = lanes.gen("*", function(l) l:receive "never" end)(linda)
require "lane".reaches(h, "waiting")
gives(list(true, "cancelled"), h:cancel("count", 10, 20))

-- before the lane has got to its body
for _ = 1, 50 do
    h = lanes.gen("*", function() if jit then jit.off(true, true) end while true do end end)()
    gives(list(true, "cancelled"), h:cancel(jit and "line" or "count", 1, 20))
end

-- arguments
for _, mode in ipairs { "count", "line", "call", "ret", "all" } do
    check.raises("Hook count expected", h.cancel, h, mode)
    check.raises("Hook count expected", h.cancel, h, mode, true)
    check.raises("Hook count expected", h.cancel, h, mode, nil, 1)
    check.raises("Hook count cannot be < 1", h.cancel, h, mode, 0)
    check.raises("Hook count cannot be < 1", h.cancel, h, mode, -5, 1)
    check.raises("Duration cannot be < 0", h.cancel, h, mode, 1, -1)
    check.raises("Boolean expected for wake_lane argument, got string", h.cancel, h, mode, 1, 1, "x")
    check.raises("Too many arguments", h.cancel, h, mode, 1, 1, true, 1)
    gives(list(true, "cancelled"), h:cancel(mode, 1))
    gives(list(true, "cancelled"), h:cancel(mode, 1, 0, true))
end

check.done()
