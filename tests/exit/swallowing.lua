-- Lanes that swallow every error are stopped at the end all the same, wherever the hook finds them
-- loop: 5
local lanes = require "lanes".configure { shutdown_timeout = 2 }
local linda = lanes.linda()
lanes.finally(function(ended) print("ended", ended) end)

local bodies = {
    function(l) while true do pcall(l.receive, l, "never") end end,
    function() while true do pcall(error) end end,
    function(l) while true do pcall(function() while true do l:count "k" end end) end end,
    function(l)
        while true do
            coroutine.wrap(function() pcall(function() while true do l:count "k" end end) end)()
        end
    end,
    function(l)
        local function deep(n) if n > 0 then pcall(deep, n - 1) end while n > 0 do l:count "k" end end
        deep(20)
    end,
}
for i, body in ipairs(bodies) do
    local h = lanes.gen("*", function(l)
        if jit then jit.off() end -- compiled loops see no hook
        body(l)
    end)(linda)
    repeat lanes.sleep(0.001) until h.status ~= "pending"
end
print "main ends"
