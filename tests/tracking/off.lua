-- Without tracking, threads() raises
local check = require "check"
local lanes = require "lanes"
check.raises("lane tracking is not available", lanes.threads)
check.done()
