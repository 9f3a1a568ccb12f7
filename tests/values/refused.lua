-- What cannot travel is refused with the path to it, before anything is queued
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

local co = coroutine.create(function() end)
local file = assert(io.open(arg and arg[0] or "Cargo.toml"))
local handle = lanes.gen("*", function() end)()
for what, bad in pairs {
    ["a coroutine"] = co,
    ["a userdata"] = file,
    ["a lane handle"] = handle,
    ["a C function"] = string.gmatch("a", "a"),
} do
    local text = what
    check.raises("argument 2: " .. text, linda.send, linda, "k", bad)
    check.raises("argument 3: " .. text, linda.send, linda, 0, "k", bad)
    check.raises("argument 3: " .. text, linda.send, linda, "k", 1, bad)
    check.raises("argument 2: " .. text, linda.set, linda, "k", bad)
    check.raises("argument 2: .x: " .. text, linda.send, linda, "k", { x = bad })
    check.raises("argument 2: [1]: " .. text, linda.send, linda, "k", { bad })
    check.raises('argument 2: .handlers["to close"][3]: ' .. text, linda.send, linda, "k",
        { handlers = { ["to close"] = { 1, 2, bad } } })
    check.raises("argument 2: [true].y: " .. text, linda.send, linda, "k", { [true] = { y = bad } })
    check.raises("argument 2: .f<upvalue bad>: " .. text, linda.send, linda, "k", { f = function() return bad end })
    check.raises("<metatable>.__index: " .. text, linda.send, linda, "k", setmetatable({}, { __index = bad }))
    local inner = { deep = bad }
    check.raises(": " .. text, linda.send, linda, "k", { [inner] = 1 })
    if type(bad) ~= "thread" then
        check.raises("[a key]: " .. text, linda.send, linda, "k", { [bad] = 1 })
    end
    -- where lanes are started
    local gen = lanes.gen("*", function(...) return ... end)
    check.raises("argument 2: " .. text, gen, 1, bad)
    check.raises("argument 1: .a.b: " .. text, gen, { a = { b = bad } })
    check.raises("lane body: <upvalue bad>: " .. text, lanes.gen("*", function() return bad end))
    check.raises("globals: .g: " .. text, lanes.gen("*", { globals = { g = bad } }, function() end))
    check.raises("tried to copy unsupported types", gen, bad)
    -- with good values around nothing is queued, and the linda works on
    check.raises(text, linda.send, linda, "k", "good", { bad }, "good")
    check.raises(text, linda.set, linda, "k", "good", { bad }, "good")
    check.eq(linda:count "k", nil)
    linda:send("k", "works")
    check.gives(check.list("k", "works"), linda:receive(0, "k"))
    linda:set "k"
end
file:close()

-- results of a lane: join says it, every time, and so does an index
local h = lanes.gen("*", function() return 1, { x = { coroutine.create(function() end) } } end)()
for _ = 1, 2 do
    check.raises("result 2: .x[1]: a coroutine", h.join, h)
    check.raises("result 2: .x[1]: a coroutine", function() return h[1] end)
end
check.eq(h.status, "done")

-- error values: the lane fails with the text
h = lanes.gen("*", function() error { coroutine.create(function() end) } end)()
local ok, err = h:join()
check.eq(ok, nil)
check.is_true(tostring(err):find("a coroutine cannot be transferred", 1, true), tostring(err))
check.eq(h.status, "error")

check.done()
