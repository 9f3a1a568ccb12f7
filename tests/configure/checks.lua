-- 4.x: every option is checked, and the texts say what is wrong
local check = require "check"
local lanes = require "lanes"

local function bad(name, value, why)
    check.raises("Bad parameter " .. name .. ": " .. tostring(value) .. " (" .. why .. ")",
        lanes.configure, { [name] = value })
    check.eq(getmetatable(lanes), "Lanes")
end
for _, name in ipairs { "strip_functions", "track_lanes", "verbose_errors", "with_timers" } do
    bad(name, 1, "not a boolean")
    bad(name, "true", "not a boolean")
end
bad("convert_fallback", "null", "must be nil, lanes.null or 'decay'")
bad("convert_fallback", 33, "must be nil, lanes.null or 'decay'")
bad("convert_max_attempts", 0, "value out of range")
bad("convert_max_attempts", 10, "value out of range")
bad("convert_max_attempts", "1", "not a number")
bad("internal_allocator", "gnu", "unknown value")
bad("internal_allocator", 1, "not a string")
bad("keepers_gc_threshold", "0", "not a number")
bad("linda_wake_period", "always", "unknown value")
bad("linda_wake_period", 0, "value out of range")
bad("linda_wake_period", true, "not a number")
bad("nb_user_keepers", -1, "value out of range")
bad("nb_user_keepers", 101, "value out of range")
bad("on_state_create", "f", "not a function")
bad("shutdown_timeout", -0.5, "value out of range")
bad("shutdown_timeout", 3601, "value out of range")
bad("allocator", "Protected", "unknown value")
bad("allocator", false, "not a function")
check.raises("Bad config.allocator, must be a C function", lanes.configure, { allocator = function() end })
check.raises("not a userdata", lanes.configure, { allocator = os.clock })
check.raises("Unknown setting [foo] = 1", lanes.configure, { foo = 1 })
check.raises("Unknown setting [1] = x", lanes.configure, { "x" })
check.raises("Unknown setting [true] = false", lanes.configure, { [true] = false })
check.raises("Bad argument #1 to lanes.configure(), should be a table", lanes.configure, "x")

-- All good ones together; the table is copied.
local settings = {
    allocator = "protected", convert_fallback = lanes.null, convert_max_attempts = 9, internal_allocator = "libc",
    keepers_gc_threshold = -1, linda_wake_period = 0.5, nb_user_keepers = 3, on_state_create = function() end,
    shutdown_timeout = 1, strip_functions = false, track_lanes = true, verbose_errors = true, with_timers = false,
}
check.eq(lanes.configure(settings), lanes)
check.eq(lanes.configure { foo = 1 }, lanes)
check.eq(lanes.configure, lanes.configure().configure)
check.eq(getmetatable(lanes), nil)
check.done()
