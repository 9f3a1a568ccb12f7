-- nameof in 3.x: a plain path
-- load: lanes.v3
local check = require "check"
local lanes = require "lanes".configure()

check.eq(select(2, lanes.nameof(string.sub)), "_G/string/sub")
check.eq(select(2, lanes.nameof(print)), "_G/print")
check.eq(select("#", lanes.nameof {}), 2)
check.raises("too many arguments.", lanes.nameof, 1, 2)
check.done()
