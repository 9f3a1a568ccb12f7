-- The wrapped require: results, errors, one state at a time
local check = require "check"
local original = require
local lanes = require "lanes".configure()

check.is_true(require ~= original)
check.eq(require "string", string)
check.eq(require "lanes", lanes)
package.preload.counted = function(name, ...)
    loads = (loads or 0) + 1
    return { name = name }
end
check.eq(require "counted".name, "counted")
check.eq(require "counted", require "counted")
check.eq(loads, 1)
package.preload.broken = function() error("broken inside", 0) end
check.raises("broken inside", require, "broken")
check.raises("no.such.module", require, "no.such.module")

-- Both forms travel, and mean the lane's own.
for _, f in ipairs { original, require } do
    check.eq(lanes.gen("*", function() return f == require end)()[1], true)
end

-- A loader that waits for a lane which requires another module.
package.preload.waits = function()
    return { lanes.gen("*", function() return require "string" == string end)()[1] }
end
check.eq(require "waits"[1], true)
check.done()
