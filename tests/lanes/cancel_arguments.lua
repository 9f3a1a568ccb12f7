-- The arguments of cancel: forms and mistakes
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local list, gives = check.list, check.gives
local over = lanes.gen("*", function() end)()
over:join()

for _, arguments in ipairs {
    list(), list(nil), list(0), list(0.5), list(true), list(0.1, true), list("soft"), list("soft", 0), list("soft", true),
    list("soft", nil, true), list("soft", 0, true), list("hard", 0, false), list("hard", nil), list(math.huge), list(nil, true),
} do
    gives(list(true, "done"), over:cancel((table.unpack or unpack)(arguments, 1, arguments.n)))
end
-- they are checked when the lane is over, too
for _, case in ipairs {
    { "Invalid cancel operation 'foo'", "foo" },
    { "Duration cannot be < 0", -1 },
    { "Duration cannot be < 0", "soft", -0.5 },
    { "Boolean expected for wake_lane argument, got string", "soft", "x" },
    { "Boolean expected for wake_lane argument, got number", "hard", 10, 10 },
    { "Boolean expected for wake_lane argument, got function", print },
    { "Boolean expected for wake_lane argument, got table", {} },
    { "Boolean expected for wake_lane argument, got userdata", io.stdout },
    { "Too many arguments", "soft", 0, true, 1 },
    { "Too many arguments", 0, true, true },
} do
    check.raises(case[1], over.cancel, over, (table.unpack or unpack)(case, 2))
end

check.done()
