-- lanes.select receives from slots of several lindas, the first in order
local check = require "check"
local lanes = require "lanes"
local list, gives = check.list, check.gives
local a, b = lanes.linda(), lanes.linda()

gives(list(nil, "timeout"), lanes.select(0, a, "k", b, "k"))
gives(list(nil, "timeout"), lanes.select(0.05, a, "k", b, "k"))
b:send("k", "from b")
gives(list(b, "k", "from b"), lanes.select(0, a, "k", b, "k"))
b:send("k", 2)
a:send("k", 1)
gives(list(a, "k", 1), lanes.select(a, "k", b, "k"))
gives(list(b, "k", 2), lanes.select(nil, a, "k", b, "k"))
-- blocked: either wakes it, and takes only one
for _, l in ipairs { a, b } do
    local h = lanes.gen("*", function(a, b)
        local l, key, v = require "lanes".select(10, a, "k", b, "k")
        return l, key, v
    end)(a, b)
    require "lane".reaches(h, "waiting")
    l:send("k", "x")
    gives(list(true, l, "k", "x"), h:join(10))
end
check.eq(a:count "k", 0)
check.eq(b:count "k", 0)
-- two slots of one linda
a:send("y", 1)
gives(list(a, "y", 1), lanes.select(0, a, "x", a, "y"))
-- cancellation of one of them
b:cancel()
gives(list(nil, lanes.cancel_error), lanes.select(1, a, "k", b, "k"))
b:cancel "none"

check.done()
