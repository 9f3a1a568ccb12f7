-- The module that ships has no panics on demand
local check = require "check"
require "lanes"
check.raises("'lanes.faults' not found", require, "lanes.faults")
check.done()
