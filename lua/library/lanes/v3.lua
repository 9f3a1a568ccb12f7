---@meta lanes.v3

-- Definitions for editors: `require "lanes.v3"`, the interface of Lanes 3.x.
-- What it shares with 4.x has the types of `lanes.lua`, beside this folder.

---@class lanes.v3
---@field ABOUT lanes.About
---@field cancel_error lanes.CancelError
---@field null lanes.Null
---@field timer_lane? lanes.v3.Handle timers are on unless configured otherwise
local lanes = {}

---@class lanes.v3.ConfigureOptions
---@field api? 2|3|4
---@field shutdown_timeout? lanes.Seconds default 0.25
---@field with_timers? boolean default true
---@field track_lanes? boolean
---@field on_state_create? fun()
---@field verbose_errors? boolean
---@field demote_full_userdata? boolean userdata that cannot travel becomes light userdata
---@field nb_keepers? integer checked, without effect
---@field protect_allocator? boolean without effect
---@field allocator? "protected"|function checked, without effect
---@field internal_allocator? "libc"|"allocator" checked, without effect
---@field keepers_gc_threshold? number checked, without effect

---Settles the options; can be called once, the field is nil afterwards.
---@param options? lanes.v3.ConfigureOptions
---@return lanes.v3
function lanes.configure(options) end

---@return number
---@nodiscard
function lanes.now_secs() end

---Sleeps; without an argument not at all. Returns nothing, or
---`lanes.cancel_error`.
---@param seconds? lanes.Seconds
---@return lanes.CancelError?
function lanes.sleep(seconds) end

---@class lanes.v3.GenOptions: lanes.GenOptions
---@field cancelstep? boolean|integer looks for cancel requests every so many instructions

---@alias lanes.v3.Generator fun(...: any): lanes.v3.Handle

---@param body function|string
---@return lanes.v3.Generator
---@overload fun(...: string|lanes.v3.GenOptions|function|nil): lanes.v3.Generator
function lanes.gen(body) end

---@param body function|string
---@return lanes.v3.Generator
---@overload fun(...: string|lanes.v3.GenOptions|function|nil): lanes.v3.Generator
function lanes.coro(body) end

---`handle[n]` waits for the end and gives the n-th result.
---@class lanes.v3.Handle
---@field status lanes.Status|"killed"
---@field [integer] any
local Handle = {}

---Waits for the end. Returns the results; `nil, error, trace`; `nil, "timeout"`;
---nothing if it was cancelled; `nil, "killed"`.
---@param timeout? lanes.Seconds
---@return any ...
function Handle:join(timeout) end

---Asks the lane to stop; waits for `timeout` (default 0). Returns
---`true, status`, or `false, "timeout"`.
---@param mode? "soft"|"hard"|"count"|"line"|"call"|"ret"
---@param timeout? lanes.Seconds
---@param force? boolean soft: wake; otherwise stop Lua code by a hook
---@param kill_timeout? lanes.Seconds
---@return boolean over
---@return string
---@overload fun(self: lanes.v3.Handle, timeout: lanes.Seconds, force?: boolean, kill_timeout?: lanes.Seconds): boolean, string
function Handle:cancel(mode, timeout, force, kill_timeout) end

---@param ... any
---@return any ...
function Handle:resume(...) end

---@return string
---@nodiscard
function Handle:get_debug_threadname() end

---@param name? string
---@param group? integer checked, without effect
---@return lanes.v3.Linda
---@nodiscard
function lanes.linda(name, group) end

---@class lanes.v3.Linda
---@field null lanes.Null
---@field batched string the marker of batched receives
local Linda = {}

---@param timeout lanes.Seconds?
---@param key lanes.Key
---@param ... any
---@return boolean|lanes.CancelError sent
---@overload fun(self: lanes.v3.Linda, key: lanes.Key, ...: any): boolean|lanes.CancelError
function Linda:send(timeout, key, ...) end

---Returns the key and the value; nothing at the timeout; `lanes.cancel_error`.
---`linda:receive(timeout, linda.batched, key, min, max)` takes several.
---@param timeout lanes.Seconds?
---@param key lanes.Key
---@param ... lanes.Key
---@return lanes.Key|lanes.CancelError|nil key
---@return any ...
---@overload fun(self: lanes.v3.Linda, key: lanes.Key, ...: lanes.Key): lanes.Key?, ...: any
function Linda:receive(timeout, key, ...) end

---@param key lanes.Key
---@param ... any
---@return true|lanes.CancelError|nil woke
function Linda:set(key, ...) end

---@param key lanes.Key
---@param count? integer default 1
---@return any ...
function Linda:get(key, count) end

---@param key lanes.Key
---@param n integer negative: unlimited
---@return true|lanes.CancelError|nil woke
function Linda:limit(key, n) end

---@param ... lanes.Key
---@return table<lanes.Key, integer>
---@overload fun(self: lanes.v3.Linda, key: lanes.Key): integer?
function Linda:count(...) end

---@return table?
function Linda:dump() end

---@param hint? lanes.Hint|"none"
function Linda:cancel(hint) end

---@param key lanes.Key
---@param n number
---@return number|lanes.CancelError
function Linda:atomic_add(key, n) end

---@return lightuserdata
---@nodiscard
function Linda:deep() end

---@param timeout lanes.Seconds?
---@param linda lanes.v3.Linda
---@param key lanes.Key
---@param ... lanes.v3.Linda|lanes.Key
---@return any ...
---@overload fun(linda: lanes.v3.Linda, key: lanes.Key, ...: lanes.v3.Linda|lanes.Key): ...: any
function lanes.select(timeout, linda, key, ...) end

---@param linda lanes.v3.Linda
---@param key lanes.Key
---@param when number|osdate|nil
---@param period? lanes.Seconds
function lanes.timer(linda, key, when, period) end

---@return table[]
function lanes.timers() end

---@param linda lanes.v3.Linda
---@param key lanes.Key
---@param n? integer
---@return (fun(m: integer, mode?: "try"): boolean|lanes.CancelError)|lanes.CancelError
function lanes.genlock(linda, key, n) end

---@param linda lanes.v3.Linda
---@param key lanes.Key
---@param initial? number
---@return (fun(diff?: number): number|lanes.CancelError)|lanes.CancelError
function lanes.genatomic(linda, key, initial) end

---@param f? fun(all_ended: boolean): string?
function lanes.finally(f) end

---@return { name: string, status: string }[]?
function lanes.threads() end

---@param mode? "soft"|"hard"
---@param timeout? lanes.Seconds
---@return boolean all_ended
---@return "timeout"? why
function lanes.cancel_all(mode, timeout) end

---@param name string
---@param module table|function|userdata
function lanes.register(name, module) end

---@param name string
---@param ... any
---@return any
function lanes.require(name, ...) end

---@param value any
---@return type
---@return any name
function lanes.nameof(value) end

---@param object file*|userdata
---@return lanes.Share
---@nodiscard
function lanes.share(object) end

---@param priority integer
---@param mode? "native"
function lanes.set_thread_priority(priority, mode) end

---@param mode? "native"
---@return integer min
---@return integer max
function lanes.thread_priority_range(mode) end

---@param mask integer
function lanes.set_thread_affinity(mask) end

---@param n integer
function lanes.set_singlethreaded(n) end

function lanes.collectgarbage() end

-- Globals of lanes in 3.x, besides `set_finalizer` and `cancel_test`.

---@type string
decoda_name = nil

---@param name string
function set_debug_threadname(name) end

---@param mode "basic"|"extended"
function set_error_reporting(mode) end

return lanes
