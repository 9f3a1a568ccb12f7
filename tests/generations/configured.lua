-- What configure checks
-- args: good
-- args: bad
local check = require "check"
local lanes = require "lanes"

if arg[1] == "good" then
    local settings = {
        shutdown_timeout = 1, with_timers = false, track_lanes = false, verbose_errors = false, strip_functions = true,
        nb_user_keepers = 2, linda_wake_period = 0.5, convert_max_attempts = 2, convert_fallback = lanes.null,
        internal_allocator = "libc", allocator = "protected", keepers_gc_threshold = 500, api = 4,
    }
    check.eq(lanes.configure(settings), lanes)
    check.raises("Group is mandatory in multiple Keeper scenarios", lanes.linda, {})
    check.eq(getmetatable(lanes.linda { group = 2 }), "Linda")
    check.raises("group out of range", lanes.linda, { group = 3 })
    -- the default wake period: a soft cancel without waking is noticed
    local linda = lanes.linda { group = 0 }
    local h = lanes.gen("*", function(l) return l:receive(20, "x") end)(linda)
    require "lane".reaches(h, "waiting")
    h:cancel("soft", 0)
    check.gives(check.list(true, nil, lanes.cancel_error), h:join(10))
else
    local configure = lanes.configure
    check.raises("Bad argument #1 to lanes.configure(), should be a table", configure, "x")
    check.raises("Unknown setting [foo] = 1", configure, { foo = 1 })
    check.raises("Unknown setting [1] = x", configure, { "x" })
    for name, case in pairs {
        shutdown_timeout = { "x", "not a number" },
        with_timers = { 1, "not a boolean" },
        track_lanes = { "yes", "not a boolean" },
        verbose_errors = { {}, "not a boolean" },
        strip_functions = { 0, "not a boolean" },
        nb_user_keepers = { 101, "value out of range" },
        linda_wake_period = { -1, "value out of range" },
        convert_max_attempts = { 10, "value out of range" },
        convert_fallback = { "other", "must be nil, lanes.null or 'decay'" },
        internal_allocator = { "other", "unknown value" },
        allocator = { "other", "unknown value" },
        keepers_gc_threshold = { "x", "not a number" },
        on_state_create = { 1, "not a function" },
    } do
        check.raises("Bad parameter " .. name .. ": ", configure, { [name] = case[1] })
        check.raises("(" .. case[2] .. ")", configure, { [name] = case[1] })
    end
    for _, bad in ipairs { -1, 3601, 0 / 0 } do
        check.raises("value out of range", configure, { shutdown_timeout = bad })
    end
    -- a refused call settles nothing: the right one still works
    check.eq(configure { shutdown_timeout = 0.1 }, lanes)
end

check.done()
