-- Functions travel without debug information in Lanes 4.x, unless configured otherwise
-- needs: lua>=5.3
-- args: strip
-- args: keep
local check = require "check"
local keep = arg[1] == "keep"
local lanes = require "lanes".configure { strip_functions = not keep }
local linda = lanes.linda()

linda:send("k", function(a) return a + 1 end)
local _, f = linda:receive "k"
check.eq(f(1), 2)
local info = debug.getinfo(f, "S")
if keep then
    check.is_true(info.source:find "stripped%.lua$", info.source)
else
    check.is_true(info.source:find "%?", info.source)
end
local ok, err = lanes.gen("*", function() error "oops" end)():join()
check.eq(ok, nil)
if keep then
    check.is_true(err:find "stripped%.lua:%d+: oops$", err)
else
    check.is_true(err:find "oops$", err)
end

check.done()
