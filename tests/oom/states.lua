-- Memory runs out while a state loads the module, and while it closes
-- needs: module:oom, lua<=5.4
-- valgrind: leaks
-- timeout: 60
local check = require "check"
local oom = require "oom"
local process = require "process"

-- 5.1 and LuaJIT take a module whose loading has failed for one that is being
-- loaded.
local again = "package.loaded.lanes, package.loaded['lanes.v3'] = nil "
local source = again .. [[
    local lanes = require "lanes"
    local linda = lanes.linda()
    lanes.finally(function() linda:send("k", { "late" }) end)
    local h = lanes.gen("*", function(l) l:send("k", { "hello" }) l:receive("nothing comes") end)(linda)
    assert(select(2, linda:receive("k"))[1] == "hello")
]]
local v3 = again .. [[ require "lanes.v3".configure { with_timers = true } ]]
-- To the end in large steps: most of it is the same thing over and over.
for _, code in ipairs { source, v3 } do
    local n, step = 1, 1
    while oom.state(n, -1, code) do
        n = n + step
        if n % 50 == 0 then step = step + 1 end
    end
    n = 1
    while select(2, oom.state(-1, n, code)) do n = n + 1 end
end
check.done()
