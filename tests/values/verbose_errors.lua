-- with verbose_errors a refusal names the place as the reference does

local check = require "check"
local lanes = require "lanes".configure{ verbose_errors = true }
local linda = lanes.linda()
local co = coroutine.create(function() end)

local function refused(place, value, ...)
  for _, call in ipairs{
    function(v) linda:send("k", v) end,
    function(v) linda:send(1, "k", v) end,
    function(v) linda:set("k", v) end,
  } do
    check.raises("'" .. place .. "'", call, value)
  end
  check.eq(linda:count("k") or 0, 0)
end

refused("arg#2", co)
refused("arg#2.subtable.bob.ud", { subtable = { bob = { ud = co } } })
refused("arg#2.subtable[true].ud", { subtable = { [true] = { ud = co } } })
refused("arg#2.subtable[42].ud", { subtable = { [42] = { ud = co } } })
refused("arg#2.subtable[42.44].ud", { subtable = { [42.44] = { ud = co } } })
refused("arg#2.subtable[U:<FULL>].ud", { subtable = { [linda] = { ud = co } } })
refused("arg#2.a b", { ["a b"] = co })
refused("(null)", { [{}] = co })
check.raises("'arg#3'", linda.send, linda, "k", 1, co)
check.raises("'arg#2.x'", lanes.gen("*", function() end), 1, { x = co })
local u = { a = co }
check.raises("'u.a'", lanes.gen("*", function() return u end))
check.done()
