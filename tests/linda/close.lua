-- A linda with a close handler as a to-be-closed variable, here and in lanes
-- needs: lua>=5.4
local check = require "check"
local lanes = require "lanes"

local code = [[
    local linda, raise = ...
    local l <close> = linda
    if raise then error("in the scope", 0) end
]]
local scope = load(code)
local log = lanes.linda()
local linda = lanes.linda { name = "closing", close_handler = function(l, err) log:send("closed", tostring(l), err) end }
scope(linda)
check.gives(check.list("closed", "Linda: closing", nil), log:receive_batched(0, "closed", 2))
check.eq(pcall(scope, linda, true), false)
check.gives(check.list("closed", "Linda: closing", "in the scope"), log:receive_batched(0, "closed", 2))
-- the handler travels with the linda
check.gives(check.list(true), lanes.gen("*", function(l, code) load(code)(l) end)(linda, code):join())
check.gives(check.list("closed", "Linda: closing", nil), log:receive_batched(0, "closed", 2))
-- a callable table; an error in the handler is the scope's
local callable = setmetatable({}, { __call = function() error("in the handler", 0) end })
local ok, err = pcall(scope, lanes.linda { close_handler = callable })
check.eq(ok, false)
check.eq(err, "in the handler")
check.raises("__close handler is not a function", lanes.linda, { close_handler = 1 })
check.raises("__close handler is not callable", lanes.linda, { close_handler = setmetatable({}, {}) })

check.done()
