-- resume gives what was yielded, and its arguments to the yield
local check = require "check"
local lanes = require "lanes"

local coro = lanes.coro("*", function(a, b)
    local x, y = coroutine.yield("first", a + b)
    local z = coroutine.yield("second", x, y)
    return "end", z
end)
local h = coro(1, 2)
local function list(...) return { n = select("#", ...), ... } end
check.same(list(h:resume("x", "y")), { n = 2, "first", 3 })
check.same(list(h:resume("z")), { n = 3, "second", "x", "y" })
check.same(list(h:join()), { n = 3, true, "end", "z" })
check.eq(h.status, "done")
check.eq(h[0], 2)
local ok, err = pcall(h.resume, h, 2)
check.eq(ok, false)
check.eq(err, "cannot resume non-suspended coroutine Lane")

-- Tables travel both ways, nothing is lost when nothing is yielded.
local h = lanes.coro("*", function()
    local t = coroutine.yield()
    return t.deep[1]
end)()
check.results(0, h:resume({ deep = { "down" } }))
check.eq(h[1], "down")

-- A plain lane cannot be resumed, nor can a lane that never yields.
local plain = lanes.gen("*", function() return 1 end)()
check.eq(select(2, pcall(plain.resume, plain)), "cannot resume non-suspended coroutine Lane")
local never = lanes.coro("*", function() return "bye" end)()
check.eq(select(2, pcall(never.resume, never)), "cannot resume non-suspended coroutine Lane")
check.eq(never[1], "bye")

-- What cannot travel is refused on its way in and on its way out.
local h = lanes.coro("*", function()
    coroutine.yield(coroutine.create(function() end))
    return "still here"
end)()
check.raises("Failed to send resumed values", h.resume, h, coroutine.create(function() end))
check.raises("Failed to retrieve yielded values", h.resume, h)
check.eq(h[1], "still here")
check.done()
