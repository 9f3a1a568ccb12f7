-- Outcomes in the shapes of Lanes 2.x
-- load: lanes.v2
-- valgrind: yes
local check = require "check"
require "lanes"
local list = check.list
local unpack = table.unpack or unpack

require "outcomes" (lanes, {
    sent = list(true),
    send_timeout = list(false),
    received = function(key, value) return list(value, key) end,
    receive_timeout = list(),
    receive_batched = function(linda, timeout, key, n) return linda:receive(timeout, linda.batched, key, n) end,
    batch = function(_, values) return values end,
    set_plain = list(),
    set_woke = list(),
    limit_plain = list(),
    limit_woke = list(),
    get_none = list(),
    got = function(values) return list(values[1]) end,
    done = function(values) return values end,
    join_timeout = list(),
    failed = function(err, got)
        check.eq(type(got[3]), "table", "the trace")
        return list(nil, err, got[3])
    end,
    lane_cancelled = list(),
    cancel_over = function() return list(true) end,
    cancel_pending = list(false),
})

check.done()
