-- now_secs is the wall clock, with fractions of seconds
local check = require "check"
local lanes = require "lanes"

local a, b, c = os.time(), lanes.now_secs(), os.time()
check.is_true(a <= b and b < c + 1, b)
local last, changes = b, 0
for _ = 1, 1000000 do
    local now = lanes.now_secs()
    if now ~= last then changes, last = changes + 1, now end
    if changes > 100 then break end
end
check.is_true(changes > 100 and last - b < 20, "finer than a second")

check.done()
