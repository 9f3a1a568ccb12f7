-- Light userdata travel as addresses; null becomes nil
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
local light = linda:deep()

linda:send("k", light, { light, [light] = "key" })
local _, got, t = linda:receive_batched("k", 2)
check.is_true(got == light and t[1] == light and t[light] == "key")
check.eq(type(got), "userdata")
check.eq(getmetatable(got), nil)
check.gives(check.list(true, light), lanes.gen("*", function(v) return v end)(light):join())

-- cancel_error stays itself
linda:send("k", lanes.cancel_error, { lanes.cancel_error })
local _, ce, t = linda:receive_batched("k", 2)
check.is_true(ce == lanes.cancel_error and t[1] == lanes.cancel_error)

-- null becomes nil on the way, at any depth
linda:send("k", lanes.null, { 1, lanes.null, 3, x = lanes.null, y = { lanes.null } }, lanes.null)
local key, a, t, b = linda:receive_batched("k", 3)
check.eq(a, nil)
check.same(t, { 1, nil, 3, y = {} })
check.eq(b, nil)
check.raises("table index is nil", linda.send, linda, "k", { [lanes.null] = 1 })
check.eq(linda:count "k", 0)

check.done()
