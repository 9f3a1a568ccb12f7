-- lanes.v3: configure once, then it is gone; later requires answer with the same table
-- load: lanes.v3
local check = require "check"
local lanes = require "lanes"

check.eq(require "lanes.v3", lanes)
check.eq(rawget(_G, "lanes"), nil)
check.eq(lanes.configure { nb_keepers = 2, with_timers = false, track_lanes = false, demote_full_userdata = false,
    protect_allocator = false, shutdown_timeout = 0.2, verbose_errors = false }, lanes)
check.eq(lanes.configure, nil)
check.raises("attempt to call", function() lanes.configure() end)
check.eq(getmetatable(lanes), nil)
for _, name in ipairs { "gen", "linda", "ABOUT", "cancel_error", "sleep", "now_secs" } do check.is_true(lanes[name], name) end
check.gives(check.list(), lanes.linda():receive(0, "x"))

local h = lanes.gen("*", function()
    local lanes = require "lanes"
    local l = lanes.linda()
    l:send("k", "v")
    local ok = pcall(require, "lanes.v2")
    return lanes.configure, ok, l:receive "k"
end)()
check.gives(check.list(nil, false, "k", "v"), h:join())

check.done()
