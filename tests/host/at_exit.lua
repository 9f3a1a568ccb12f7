-- A host program ends with its states open and their lanes at work
-- host: yes
-- args: leave 7
-- rc: 7
-- loop: 5
-- valgrind: yes
return assert(loadfile "tests/host/universes.lua")(...)
