-- How a linda looks: names, text, metatable, fields, foreign selfs
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

-- text
check.is_true(tostring(linda):find "^Linda: 0?x?%x+$", tostring(linda))
check.is_true(tostring(linda):gsub("Linda: 0?x?", "") == tostring(linda:deep()):gsub("userdata: 0?x?", ""))
check.eq(tostring(lanes.linda { name = "short" }), "Linda: short")
local long = ("veeeerrrryyyylooong"):rep(20)
check.eq(tostring(lanes.linda { name = long }), "Linda: " .. long)
check.eq(tostring(lanes.linda { name = "" }):find "Linda: 0?x?%x+", 1)
check.eq(lanes.linda { name = "a" } .. "!", "Linda: a!")
check.eq("!" .. lanes.linda { name = "a" }, "!Linda: a")
check.eq(lanes.linda { name = "a" } .. lanes.linda { name = "b" }, "Linda: aLinda: b")
check.eq(1 .. lanes.linda { name = "a" }, "1Linda: a")
check.raises("concatenate", function() return linda .. {} end)
local auto = tostring(lanes.linda { name = "auto" })
check.is_true(auto:find "^Linda: .*face%.lua:%d+$", auto)

-- metatable, fields
check.eq(getmetatable(linda), "Linda")
check.raises("cannot change a protected metatable", setmetatable, setmetatable({}, { __metatable = "x" }), {})
check.eq(linda.null, lanes.null)
check.raises("unknown field 'nothing'", function() return linda.nothing end)
check.raises("Unsupported linda indexing key type number", function() return linda[1] end)
check.raises("Unsupported linda indexing key type table", function() return linda[{}] end)
check.raises("Unsupported linda indexing key type nil", function() return linda[nil] end)
for _, key in ipairs { "send", "new", 1, true } do
    check.raises("", function() linda[key] = 1 end)
end

-- foreign selfs
local handle = lanes.gen("*", function() end)()
for _, method in ipairs {
    "send", "receive", "receive_batched", "set", "get", "limit", "restrict", "count", "dump", "cancel", "wake", "deep",
    "collectgarbage",
} do
    local f = linda[method]
    check.eq(type(f), "function", method)
    for _, self in ipairs { 1, "x", {}, io.stdout, handle, linda:deep(), print } do
        check.raises("expecting a linda object", f, self, 0, "k", 1)
    end
    check.raises("expecting a linda object", f)
    check.raises("expecting a linda object", f, nil)
end

check.gives(check.list(), linda:collectgarbage())
check.raises("Unexpected extra argument", linda.collectgarbage, linda, 1)

-- options
check.raises("expecting a table", lanes.linda, 1)
check.raises("expecting a table", lanes.linda, "name")
check.raises("too many arguments", lanes.linda, {}, {})
check.raises("name is not a string", lanes.linda, { name = 1 })
check.raises("group out of range", lanes.linda, { group = 1 })
check.raises("group out of range", lanes.linda, { group = -1 })
check.raises("wake_period must be > 0", lanes.linda, { wake_period = 0 })
check.raises("wake_period must be > 0", lanes.linda, { wake_period = -1 })
check.raises("invalid wake_period", lanes.linda, { wake_period = "x" })
check.raises("invalid wake_period", lanes.linda, { wake_period = true })
for _, options in ipairs { {}, { group = 0 }, { wake_period = "never" }, { wake_period = 0.5 }, { unknown = 1 } } do
    check.eq(getmetatable(lanes.linda(options)), "Linda")
end

check.done()
