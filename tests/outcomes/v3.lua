-- Outcomes in the shapes of Lanes 3.x
-- load: lanes.v3
-- valgrind: yes
local check = require "check"
local lanes = require "lanes".configure()
local list = check.list
local unpack = table.unpack or unpack

require "outcomes" (lanes, {
    sent = list(true),
    send_timeout = list(false),
    received = function(key, value) return list(key, value) end,
    receive_timeout = list(),
    receive_batched = function(linda, timeout, key, n) return linda:receive(timeout, linda.batched, key, n) end,
    batch = function(key, values) return list(key, unpack(values, 1, values.n)) end,
    set_plain = list(),
    set_woke = list(true),
    limit_plain = list(),
    limit_woke = list(true),
    get_none = list(),
    got = function(values) return values end,
    done = function(values) return values end,
    join_timeout = list(nil, "timeout"),
    failed = function(err, got)
        check.eq(type(got[3]), "table", "the trace")
        return list(nil, err, got[3])
    end,
    lane_cancelled = list(),
    cancel_over = function(status) return list(true, status) end,
    cancel_pending = list(false, "timeout"),
    soft_cancel = list(lanes.cancel_error),
    linda_cancel = list(lanes.cancel_error),
})

check.done()
