-- A finalizer that raises replaces the result and skips the others
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local list, gives = check.list, check.gives
local linda = lanes.linda()

for _, how in ipairs { "return", "error" } do
    local h = lanes.gen("*", function(l, how)
        set_finalizer(function() l:send("ran", 1) end)
        set_finalizer(function() l:send("ran", 2); error("in finalizer", 0) end)
        set_finalizer(function(err) l:send("ran", 3, err) end)
        if how == "error" then error("in body", 0) end
        return "result"
    end)(linda, how)
    gives(list(nil, "in finalizer"), h:join())
    check.eq(h.status, "error")
    local ran = list(linda:receive_batched(0, "ran", 1, 10))
    check.same(ran, { "ran", 3, how == "error" and "in body" or nil, 2, n = 4 })
end
-- a table as its error
local h = lanes.gen("*", function() set_finalizer(function() error { code = 5 } end) end)()
gives(list(nil, { code = 5 }), h:join())
check.eq(h[-1].code, 5)

check.done()
