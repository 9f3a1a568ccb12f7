-- on_state_create runs in each new lane, before its body
local check = require "check"
local made = "upvalue"
local lanes = require "lanes".configure {
    on_state_create = function(what) created = (created or 0) + 1 how = what up = made end,
}
check.eq(rawget(_G, "created"), nil, "not in the main state")
check.gives(check.list(true, 1, "lane", "upvalue"), lanes.gen("*", function() return created, how, up end)():join())
-- in the lanes that lanes start, too
check.gives(check.list(true, 1, "lane"), lanes.gen("*", function()
    local _, a, b = require "lanes".gen("*", function() return created, how end)():join()
    return a, b
end)():join())

check.done()
