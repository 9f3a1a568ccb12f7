-- Lua states and threads without lanes: the floor of the rows create and memory.
--
--   lua benches/lua/peers/bare.lua mode=create|memory what=thread|state libraries=none|all
local bench = require "bench"
local options = bench.options { mode = "create", what = "thread", libraries = "none", count = 100 }
local threads = require "threads"
local count, all = options.count, options.libraries == "all"

local start = threads.now()
if options.mode == "create" then
    for _ = 1, count do
        if options.what == "state" then
            threads.state(all):close()
        elseif threads.bare(all):join() ~= 1 then
            error("wrong result")
        end
    end
    bench.rate(threads.now() - start, count)
else
    local make = options.what == "state" and threads.state or threads.idle
    local kept = {}
    for i = 1, count do
        kept[i] = false
    end
    local before = bench.resident()
    for i = 1, count do
        kept[i] = make(all)
    end
    local each = (bench.resident() - before) / count
    threads.release()
    bench.report(each, threads.now() - start, count)
end
