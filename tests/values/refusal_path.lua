-- a refusal gives the path to the value that cannot travel

local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
local co = coroutine.create(function() end)

check.raises("argument 2: a coroutine cannot be transferred", linda.send, linda, "k", co)
check.raises("argument 3: .handlers.close: a coroutine", linda.send, linda, "k", 1, { handlers = { close = co } })
check.raises('argument 2: .a["two words"][3]: a coroutine', linda.send, linda, "k", { a = { ["two words"] = { 1, 2, co } } })
check.raises("[a key][1]: a coroutine", linda.set, linda, "k", { [{ co }] = 1 })
check.raises("<metatable>", linda.send, linda, "k", setmetatable({}, { x = co }))
check.raises("argument 1: .f<upvalue", lanes.gen("*", function() end), { f = function() return co end })
check.raises("lane body: <upvalue", lanes.gen("*", function() return co end))
check.raises("globals: .g: a coroutine", lanes.gen("*", { globals = { g = co } }, function() end))
check.raises("result 2: .x: a coroutine", function()
  return lanes.gen("*", function() return 1, { x = coroutine.create(function() end) } end)()[1]
end)
check.raises("a lane handle cannot be transferred", linda.send, linda, "k", lanes.gen("*", function() end)())
check.raises("more than 1 conversion attempts", linda.send, linda, "k", setmetatable({}, { __lanesconvert = function(o) return o end }))
check.raises("an error in __lanesconvert: oops", linda.send, linda, "k", setmetatable({}, { __lanesconvert = function() error("oops", 0) end }))
check.raises("Invalid __lanesconvert mode 'foo'", linda.send, linda, "k", setmetatable({}, { __lanesconvert = "foo" }))
check.raises("Invalid __lanesconvert type number", linda.send, linda, "k", setmetatable({}, { __lanesconvert = 1 }))
check.eq(linda:count("k") or 0, 0, "nothing was queued")
check.eq(linda:send("k", 1), true)
check.eq(select(2, linda:receive("k")), 1)
check.done()
