-- Waiting for what other lanes do, in every generation of the interface.
--
-- Nothing here fixes how long something takes: a test waits until it is so, and
-- fails when it is not so after ten seconds.
local lane = {}

local PATIENCE = 10
local nobody -- a linda to which nothing is sent

-- Does nothing for some seconds.
function lane.pause(seconds)
    nobody = nobody or require "lanes".linda()
    nobody:receive(seconds, "nothing comes here")
end

-- Waits until f() is true.
function lane.becomes(what, f)
    local rounds = 0
    while not f() do
        rounds = rounds + 1
        if rounds > PATIENCE * 1000 then
            error("waited in vain: " .. what, 2)
        end
        lane.pause(0.001)
    end
end

-- Waits until the handle's status is this one.
function lane.reaches(handle, status)
    lane.becomes("status is " .. handle.status .. ", want " .. status, function()
        return handle.status == status
    end)
    return handle
end

return lane
