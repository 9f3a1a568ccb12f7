-- What names a slot in Lanes 3.x, and how a refused key is told
-- load: lanes.v3
local check = require "check"
local lanes = require "lanes".configure()
local linda = lanes.linda()

local text = "invalid key type (not a boolean, string, number or light userdata)"
for _, bad in ipairs { {}, print, io.stdout, lanes.linda() } do
    check.raises(text, linda.send, linda, nil, bad, 1)
    check.raises(text, linda.receive, linda, 0, bad)
    check.raises(text, linda.receive, linda, 0, "good", bad)
    check.raises(text, linda.set, linda, bad, 1)
    check.raises(text, linda.get, linda, bad)
    check.raises(text, linda.count, linda, bad)
    check.raises(text, linda.limit, linda, bad, 1)
end
check.raises(text, linda.receive, linda)

for _, key in ipairs { true, false, 1, 1.5, "", "a\0b", linda:deep() } do
    check.gives(check.list(true), linda:send(nil, key, "v"))
    check.gives(check.list(key, "v"), linda:receive(0, key))
end
-- a numeric string is a key here, never a timeout
check.gives(check.list(true), linda:send("3", "v"))
check.gives(check.list("3", "v"), linda:receive("3"))

check.done()
