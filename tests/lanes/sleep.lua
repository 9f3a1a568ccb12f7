-- Sleeping: durations, results, mistakes
local check = require "check"
local lanes = require "lanes"
local list, gives = check.list, check.gives

for _, seconds in ipairs { 0, 0.01, 0.2 } do
    local before = lanes.now_secs()
    gives(list(nil, "timeout"), lanes.sleep(seconds))
    local took = lanes.now_secs() - before
    check.is_true(took >= seconds - 0.0005 and took < seconds + 1, took)
end
check.raises("duration must be >= 0", lanes.sleep, -1)
for _, bad in ipairs { "1", {}, true, print } do check.raises("duration must be a number", lanes.sleep, bad) end
-- for ever, until cancelled
for _, how in ipairs { { "none" }, { "nil", nil }, { "inf", math.huge }, { "huge", 1e30 } } do
    local h = lanes.gen("*", function(none, t)
        if none == "none" then return require "lanes".sleep() end
        return require "lanes".sleep(t)
    end)(how[1], how[2])
    require "lane".reaches(h, "waiting")
    gives(list(true, "done"), h:cancel("soft", 10, true))
    gives(list(true, nil, lanes.cancel_error), h:join())
end

check.done()
