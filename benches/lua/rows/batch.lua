-- Batches: one lane sends many strings at a time, this one receives as many.
-- Strings per second.
local bench = require "bench"
local options = bench.options { size = 30, count = 20000, batch = 10, limit = "1000" }
local lanes = bench.lanes()
local size, batch = options.size, options.batch
local rounds = math.max(math.ceil(options.count / batch), 2)
local linda = lanes.linda()
bench.limit(linda, "queue", options.limit)

-- The calls are written out, as a program with a fixed number would.
local function list(pattern)
    local items = {}
    for i = 1, batch do
        items[i] = (pattern:gsub("N", i))
    end
    return items
end
local send_source = "local linda, m = ... return linda:send('queue', " .. table.concat(list "m", ", ") .. ")"
local receive_source = "local linda = ... local key, "
    .. table.concat(list "mN", ", ")
    .. (" = linda:%s if key ~= 'queue' then error 'nothing came' end return "):format(
        bench.has(linda, "receive_batched") and ("receive_batched(10, 'queue', %d)"):format(batch)
            or ("receive(10, linda.batched, 'queue', %d)"):format(batch)
    )
    .. table.concat(list "#mN", " + ")

local producer = lanes.gen("*", function()
    local send = assert((loadstring or load)(send_source))
    local message = ("x"):rep(size)
    linda:receive("go")
    for _ = 1, rounds do
        send(linda, message)
    end
    return rounds
end)()
bench.blocked { producer }

local receive = assert((loadstring or load)(receive_source))
linda:send("go", true)
local bytes = receive(linda)
local start = lanes.now_secs()
for _ = 2, rounds do
    bytes = bytes + receive(linda)
end
local elapsed = lanes.now_secs() - start

assert(bench.join(producer) == rounds, "the producer failed")
assert(bytes == size * batch * rounds, "wrong messages")
bench.rate(elapsed, (rounds - 1) * batch)
