-- lanes.v2: the module is global, inherits the globals, and answers later requires
-- load: lanes.v2
local check = require "check"

check.eq(type(lanes), "table", "the global is there before any require")
local result = require "lanes"
check.eq(result, lanes)
check.eq(require "lanes.v2", lanes)
check.eq(lanes.print, print, "the module inherits the globals")
check.eq(lanes.no_such_name, nil)
for _, name in ipairs { "gen", "linda", "ABOUT" } do check.is_true(rawget(lanes, name), name) end
for _, name in ipairs { "configure", "cancel_error", "null", "sleep", "now_secs", "nameof", "register" } do
    check.eq(rawget(lanes, name), nil, name)
end
check.gives(check.list(), lanes.linda():receive(0, "x"))

-- lanes inherit it, and those that they start
local h = lanes.gen("*", function()
    local inner = require "lanes"
    local l = inner.linda()
    l:send("k", "v")
    local value, key = l:receive "k"
    local v, k = inner.gen("*", function()
        require "lanes"
        local l = require "lanes".linda()
        l:send("k", "v2")
        return l:receive "k"
    end)():join()
    return value, key, v, k, pcall(require, "lanes.v4")
end)()
local value, key, v, k, ok = h:join()
check.gives(check.list("v", "k", "v2", "k", false), value, key, v, k, ok)

check.done()
