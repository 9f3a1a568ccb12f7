-- Strings are bytes: of any length, with any content
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

local all = {}
for i = 0, 255 do all[i + 1] = string.char(i) end
all = table.concat(all)
local strings = { "", "\0", "\0\0", "a\0", all, all:rep(1000), ("\255\254"):rep(300000) }
for n = 0, 300 do strings[#strings + 1] = all:rep(2):sub(1, n) end
for _, s in ipairs(strings) do
    linda:send("k", s)
    linda:send("k", { s, [s] = s })
    local _, got = linda:receive "k"
    check.is_true(got == s and #got == #s)
    local _, t = linda:receive "k"
    check.is_true(t[1] == s and t[s] == s)
end
check.is_true(select(2, lanes.gen("*", function(...) return ... end)(all):join()) == all)

check.done()
