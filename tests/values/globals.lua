-- A function finds the globals of the state it is in
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()
local list, gives = check.list, check.gives

here = "the main state"
gives(list(true, nil), lanes.gen("*", function() return here end)():join())
gives(list(true, "the lane"), lanes.gen("*", { globals = { here = "the lane" } }, function() return here end)():join())

-- the global table as a value is the receiver's
local g = _G
local ok, same, value = lanes.gen("*", { globals = { here = "lane" } }, function(env)
    return g == _G and env == _G, env.here
end)(_G):join()
check.is_true(ok, same)
check.eq(same, true)
check.eq(value, "lane")
linda:send("k", _G, { _G })
local _, a, t = linda:receive_batched("k", 2)
check.is_true(a == _G and t[1] == _G)

-- a function that comes back sees the globals of here
local ok, f = lanes.gen("*", function() return function() return here end end)():join()
check.is_true(ok, f)
check.eq(f(), "the main state")

-- libraries as values are the receiver's own
local ok, s, m = lanes.gen("*", function(lib) return lib == string, lib.upper == string.upper end)(string):join()
check.gives(list(true, true, true), ok, s, m)

check.done()
