-- Code of a C module is called after the state that had loaded it is closed
-- host: yes
-- needs: linux, module:counter, module:statehook, module:oom
-- args: orders 1
-- valgrind: yes
--
-- The states 1 to 3 are closed in turn, each with a lane that is in a C
-- function meanwhile. It comes back to code of a module that no state has any
-- more; then it leaves a file, for which state 4 waits.
local number = ...
local lanes = require "lanes"
local pid = io.open("/proc/self/stat"):read("*n")
-- The same names in all states: only the directory is what the system says.
local somewhere = os.tmpname()
os.remove(somewhere)
local directory = somewhere:match("^.*/")
local function file(n) return ("%srlanes-unloaded-%d-%d"):format(directory, pid, n) end

-- What each lane does late, in a finalizer: its body is stopped by then.
local late = {
    -- Drops the last reference to an object: the module destroys it.
    function(l) l:set "object" end,
    -- Starts a lane, for whose state the module has a hook. It is refused.
    function(_, lanes) return not pcall(lanes.gen("*", function() end)) end,
    -- Loads a module whose loader came with the lane.
    function(_, _, require) require "late" end,
}
if number <= 3 then
    local options = { shutdown_timeout = 0.05 }
    if number == 2 then options.on_state_create = require "statehook".hook end
    lanes.configure(options)
    if number == 3 then
        local path = package.cpath:match("[^;]+"):gsub("%?", "oom")
        package.preload.late = assert(package.loadlib(path, "luaopen_oom"))
    end
    local linda = lanes.linda()
    if number == 1 then linda:send("object", require "counter".new(1)) end
    lanes.gen("*", function(l, act, name)
        local lanes = require "lanes"
        set_finalizer(function()
            act(l, lanes, require)
            io.open(name, "w"):close()
        end)
        l:send("ready", true)
        os.execute "sleep 0.5"
    end)(linda, late[number], file(number))
    assert(linda:receive(30, "ready"))
    return function() end
end

-- Called once with all states open, then after each closing.
local closed = -1
return function()
    closed = closed + 1
    if closed < 1 or closed > 3 then return end
    local linda, rounds = lanes.linda(), 0
    while true do
        local f = io.open(file(closed))
        if f then
            f:close()
            break
        end
        rounds = rounds + 1
        assert(rounds < 1500, "the lane of state " .. closed .. " has not come to its end")
        linda:receive(0.01, "nothing comes")
    end
    os.remove(file(closed))
end
