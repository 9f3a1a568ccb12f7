-- Outcomes in the shapes of Lanes 4.x
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local list = check.list
local unpack = table.unpack or unpack

require "outcomes" (lanes, {
    sent = list(true),
    send_timeout = list(nil, "timeout"),
    received = function(key, value) return list(key, value) end,
    receive_timeout = list(nil, "timeout"),
    receive_batched = function(linda, timeout, key, n) return linda:receive_batched(timeout, key, n) end,
    batch = function(key, values) return list(key, unpack(values, 1, values.n)) end,
    set_plain = list(false, "under"),
    set_woke = list(true, "under"),
    limit_plain = list(false, "under"),
    limit_woke = list(true, "under"),
    get_none = list(0),
    got = function(values) return list(values.n, unpack(values, 1, values.n)) end,
    done = function(values) return list(true, unpack(values, 1, values.n)) end,
    join_timeout = list(nil, "timeout"),
    failed = function(err) return list(nil, err) end,
    lane_cancelled = list(nil, lanes.cancel_error),
    cancel_over = function(status) return list(true, status) end,
    cancel_pending = list(false, "timeout"),
    soft_cancel = list(nil, lanes.cancel_error),
    linda_cancel = list(nil, lanes.cancel_error),
})

check.done()
