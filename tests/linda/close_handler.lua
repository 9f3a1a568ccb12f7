-- A linda's close_handler travels with it
-- needs: lua>=5.4
local check = require "check"
local lanes = require "lanes"

local calls = {}
local l = lanes.linda { close_handler = function(linda, err) calls[#calls + 1] = { linda, err } end }
do local x <close> = l end
check.eq(calls[1][1], l)
check.eq(calls[1][2], nil)
pcall(function() local x <close> = l; error("why", 0) end)
check.eq(calls[2][2], "why")

-- Callable tables; a copy in other states.
local l = lanes.linda { name = "closing", close_handler = setmetatable({}, {
    __call = function(self, linda) linda:send("closed", tostring(linda)) end,
}) }
check.eq(lanes.gen("*", function() do local x <close> = l end; do local y <close> = l end; return true end)()[1], true)
check.eq(select(2, l:receive(0, "closed")), "Linda: closing")
check.eq(l:count "closed", 1)

-- Errors pass; a linda without a handler just closes.
check.raises("in the handler", function()
    local x <close> = lanes.linda { close_handler = function() error "in the handler" end }
end)
do local x <close> = lanes.linda() end
check.raises("__close handler is not a function", lanes.linda, { close_handler = 42 })
check.raises("__close handler is not callable", lanes.linda, { close_handler = setmetatable({}, {}) })
check.done()
