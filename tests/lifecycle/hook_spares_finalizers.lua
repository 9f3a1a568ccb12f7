-- The hook of a cancel request that ends a blocked call leaves the finalizers alone
-- cpus: 1
-- timeout: 60
local check = require "check"
local lane = require "lane"
local lanes = require "lanes"
local linda = lanes.linda()

local start = lanes.gen("*", function()
    set_finalizer(function()
        local n = 0
        for i = 1, 1000 do
            n = n + i
        end
        linda:set("cleaned up", n)
    end)
    linda:receive("nothing comes")
end)
for _, mode in ipairs { "count", "line", "all" } do
    for _ = 1, 100 do
        local h = lane.reaches(start(), "waiting")
        check.gives(check.list(true, "cancelled"), h:cancel(mode, 1))
        check.gives(check.list(1, 500500), linda:get("cleaned up"))
        linda:set("cleaned up")
    end
end
check.done()
