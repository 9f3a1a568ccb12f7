-- What configure checks in Lanes 3.x
-- load: lanes.v3
local check = require "check"
local lanes = require "lanes"
local configure = lanes.configure

check.raises("Unknown parameter 'foo' in configure options", configure, { foo = 1 })
check.raises("Unknown parameter 'strip_functions'", configure, { strip_functions = true })
check.raises("Bad nb_keepers: x", configure, { nb_keepers = "x" })
check.raises("Bad nb_keepers: 0", configure, { nb_keepers = 0 })
check.raises("Bad shutdown_timeout: -1", configure, { shutdown_timeout = -1 })
check.raises("should be a table", configure, "x")
-- booleans may be anything
check.eq(configure { with_timers = 0, track_lanes = "no", verbose_errors = {} }, lanes)

check.done()
