-- A handle can be a to-be-closed variable: its scope waits for the lane
-- needs: lua>=5.4
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

-- the text is loaded so that older interpreters can read this file
local f = assert(load [[
    local lanes, linda = ...
    local kept
    do
        local h <close> = lanes.gen("*", function(l) l:receive(0.1, "x"); l:send("done", true); return 1 end)(linda)
        kept = h
    end
    assert(linda:count "done" == 1)
    assert(kept.status == "done" and kept[1] == 1)
    do -- an error of the lane is not this scope's
        local h <close> = lanes.gen("*", function() error "ignored" end)()
        kept = h
    end
    assert(kept.status == "error")
    return "fine"
]])
check.eq(f(lanes, linda), "fine")

check.done()
