-- 3.x: numbers are checked, booleans may be anything
-- load: lanes.v3
local check = require "check"
local lanes = require "lanes"

check.raises("Unknown parameter 'foo' in configure options", lanes.configure, { foo = 1 })
check.raises("Unknown parameter 'strip_functions' in configure options", lanes.configure, { strip_functions = true })
check.raises("Bad nb_keepers: 0", lanes.configure, { nb_keepers = 0 })
check.raises("Bad shutdown_timeout: -1", lanes.configure, { shutdown_timeout = -1 })
check.raises("Bad parameter #1 to lanes.configure(), should be a table", lanes.configure, "x")
lanes.configure { nb_keepers = 2, with_timers = 0, track_lanes = 1, verbose_errors = "yes", shutdown_timeout = 1 }
check.eq(lanes.configure, nil)
check.eq(lanes.threads()[1].name, "LanesTimer")
check.done()
