-- What concerns the calling thread, or all lanes.

local core = ...
local error = error

local threads = {
  set_thread_priority = core.set_thread_priority,
  thread_priority_range = core.thread_priority_range,
  set_thread_affinity = core.set_thread_affinity,
  threads = core.threads,
  cancel_all = core.cancel_all,
  finally = core.finally,
}

-- One processor for all lanes: only the original's macOS build could.
function threads.set_singlethreaded() error("not implemented", 2) end

-- Lindas keep their contents in no Lua state, so nothing waits for a
-- collector: what no linda holds any more is gone at once.
function threads.collectgarbage() end

return threads
