-- A loader that waits for a lane which requires the same module is not waited for, nor are two in a ring
local check = require "check"
local lanes = require "lanes".configure()
local linda = lanes.linda()

-- The loader here waits for a lane, which loads the module itself.
package.preload.self = function()
    local h = lanes.gen("*", function()
        package.preload.self = function() return { "the lane's" } end
        return require "self"[1]
    end)()
    return { "here, and " .. h[1] }
end
check.eq(require "self"[1], "here, and the lane's")

-- Two lanes load two modules each, in opposite order, each while it loads the
-- other, and both are in before they go on.
local ring = lanes.gen("*", function(l, mine, other)
    package.preload[mine] = function()
        l:send(mine, "loading")
        l:get(other)
        while l:count(other) ~= 1 do l:receive(0.001, "nothing") end
        return { mine, require(other)[1] }
    end
    package.preload[other] = function() return { other } end
    return table.concat(require(mine), " ")
end)
local a, b = ring(linda, "a", "b"), ring(linda, "b", "a")
check.gives(check.list(true, "a b"), a:join(20))
check.gives(check.list(true, "b a"), b:join(20))

-- One at a time, though: a counter that is not atomic comes out right.
linda:set("count", 0)
local careful = lanes.gen("*", function(l)
    package.preload.careful = function()
        local _, n = l:get "count"
        l:receive(0.001, "nothing")
        l:set("count", n + 1)
        return true
    end
    return require "careful"
end)
local all = {}
for i = 1, 8 do all[i] = careful(linda) end
for i = 1, 8 do check.eq(all[i][1], true) end
check.eq(select(2, linda:get "count"), 8)

-- A lane that waits for its turn can be cancelled, and leaves the queue.
local holding = lanes.gen("*", function(l)
    package.preload.held = function()
        l:send("held", true)
        l:receive(30, "let go")
        return true
    end
    return require "held"
end)
local first = holding(linda)
check.is_true(linda:receive(20, "held"))
local second = lanes.gen("*", function()
    package.preload.held = function() return true end
    return require "held"
end)(linda)
check.eq(second:cancel("hard", 20), true)
check.eq(second.status, "cancelled")
linda:send("let go", true)
check.eq(first:join(20), true)
check.eq(first[1], true)
check.done()
