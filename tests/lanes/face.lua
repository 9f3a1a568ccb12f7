-- How a handle looks: metatable, text, fields, foreign selfs
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local h = lanes.gen("*", function() end)()

check.eq(type(h), "userdata")
check.eq(getmetatable(h), "Lane")
check.is_true(tostring(h):find(math.type and "^Lane: " or "^userdata: "), tostring(h))
for _, key in ipairs { "status", "join", 1, 0, -1, true } do
    check.raises("", function() h[key] = 1 end)
end
h:join()
check.eq(h[1], nil)
check.raises("attempt", function() return h() end)
check.raises("attempt", function() return #h end)
check.raises("attempt", function() return h < h end)
check.is_true(h == h)
check.is_true(h ~= lanes.gen("*", function() end)())
check.eq(({ [h] = 1 })[h], 1)

local linda = lanes.linda()
for _, method in ipairs { "join", "cancel", "get_threadname" } do
    local f = h[method]
    check.eq(type(f), "function")
    for _, self in ipairs { 1, "x", {}, io.stdout, linda, linda:deep(), print } do
        check.raises("expecting a lane handle", f, self)
    end
    check.raises("expecting a lane handle", f)
    check.raises("expecting a lane handle", f, nil)
end

check.done()
