-- A lane runs a Lua function, a C function or a source text
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local list, gives = check.list, check.gives

gives(list(true, 1, nil), lanes.gen("*", function(...) return ... end)(1, nil):join())
gives(list(true, "X"), lanes.gen("*", string.upper)("x"):join())
gives(list(nil, "this is an error"), lanes.gen("*", error)("this is an error"):join())
gives(list(true, 1, "a", 2), lanes.gen("*", "local a, b = ...; return a, 'a', b")(1, 2):join())
gives(list(nil, "[string \"return true, error('bob')\"]:1: bob"), lanes.gen("*", "return true, error('bob')")():join())
check.raises("error when parsing lane function code", lanes.gen("*", "return return"))
check.raises("near", lanes.gen("*", "x ="))
gives(list(true), lanes.gen("")():join())

-- one generator starts many lanes, each with its own state and arguments
local gen = lanes.gen("*", function(i) counter = (counter or 0) + 1; return i, counter end)
local handles = {}
for i = 1, 20 do handles[i] = gen(i) end
for i = 1, 20 do gives(list(true, i, 1), handles[i]:join()) end
-- the handle is the only result
check.results(1, gen(1))

check.done()
