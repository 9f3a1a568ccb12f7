-- Lanes that run out of memory for good: they end, with an error, and are no burden
-- needs: module:oom, module:counter
-- valgrind: yes
-- timeout: 60
local check = require "check"
local lanes = require "lanes"
local counter = require "counter"
local linda = lanes.linda()

-- The body, a finalizer and the packing of the results, with less and less.
local body = lanes.gen("*", { required = { "oom", "counter" } }, function(l, c, bytes, how)
    local oom = require "oom"
    local keep = {}
    set_finalizer(function(err)
        l:send("final", tostring(err))
        local t = { ("finalizer"):rep(100) }
    end)
    oom.limit(bytes)
    if how == "grow" then
        for i = 1, 1e9 do keep[i] = { i, tostring(i) } end
    elseif how == "receive" then
        while true do l:receive(30, "food") end
    end
    return { c, l, keep }, tostring(keep)
end)
local dones, errors = 0, 0
local function run(how, bytes)
    linda:set "food"
    for i = 1, 30 do linda:send("food", { ("x"):rep(i * 100), counter.new(i) }) end
    local h = body(linda, counter.new(1), bytes, how)
    if how == "receive" then linda:send("food", ("x"):rep(100000)) end
    local ok, err = h:join(30)
    if ok then
        dones = dones + 1
        check.eq(how, "return")
        check.eq(err[2], linda)
    else
        errors = errors + 1
        check.is_true(tostring(err):find("not enough memory", 1, true), err)
    end
    linda:set "final"
    check.eq(linda:send("usable", bytes), true)
    check.eq(select(2, linda:receive(0, "usable")), bytes)
end
for _, how in ipairs { "grow", "receive", "return" } do
    for bytes = 0, 20000, 500 do run(how, bytes) end
end
check.is_true(dones > 0 and errors > 0, dones .. " " .. errors)
linda:set "food"
-- The thread of the last one may be about to let go.
require "lane".becomes("nothing is held", function()
    collectgarbage()
    return counter.live() == 0
end)
check.done()
