---@meta lanes

-- Definitions for editors (LuaCATS, as lua-language-server reads them): what
-- `require "lanes"` gives by default, the interface of Lanes 4.x. Those of the
-- older generations are `lanes/v3.lua` and `lanes/v2.lua` beside this file.
--
-- `tests/stubs` compares every name here with the module, both ways.

-- The module -----------------------------------------------------------------

---Threads with a Lua state each ("lanes"), and queues between them ("lindas").
---@class lanes
---@field ABOUT lanes.About
---@field cancel_error lanes.CancelError what is returned or raised by calls that were cancelled
---@field null lanes.Null becomes nil on its way to another state
---@field timer_lane? lanes.Handle the lane of the timers: `with_timers = true`, in the state that configured
local lanes = {}

---@class lanes.About
---@field author string
---@field description string
---@field license string
---@field copyright string
---@field version string

---@class lanes.CancelError: lightuserdata
---@class lanes.Null: lightuserdata

---A number of seconds, fractions allowed.
---@alias lanes.Seconds number

---What names a slot of a linda.
---@alias lanes.Key string|number|boolean|lightuserdata|lanes.Linda

---@class lanes.ConfigureOptions
---@field api? 2|3|4 the generation of the interface; default 4
---@field shutdown_timeout? lanes.Seconds how long each step of the shutdown may take, 0 to 3600; default 0.25
---@field strip_functions? boolean functions travel without debug information (5.3 and later); default true
---@field linda_wake_period? lanes.Seconds|"never" the default of lindas; default "never"
---@field nb_user_keepers? integer 0 to 100: the range of the `group` of lindas, without effect
---@field with_timers? boolean `lanes.timer` works; default false
---@field track_lanes? boolean `lanes.threads` works; default false
---@field on_state_create? fun(kind: "lane"|"keeper") called in each new lane before its body
---@field convert_fallback? lanes.Null|"decay" what becomes of tables and userdata without a metatable
---@field convert_max_attempts? integer 1 to 9: conversions in a row that one object may need; default 1
---@field verbose_errors? boolean errors name the place of a value as Lanes does
---@field allocator? "protected"|function checked, without effect
---@field internal_allocator? "libc"|"allocator" checked, without effect
---@field keepers_gc_threshold? number checked, without effect

---Settles the options of this program. Optional; only the first call counts.
---@param options? lanes.ConfigureOptions
---@return lanes
function lanes.configure(options) end

---The wall clock: seconds since the epoch.
---@return number
---@nodiscard
function lanes.now_secs() end

---Sleeps; without an argument until the lane is cancelled.
---Raises `lanes.cancel_error` after a hard cancel request.
---@param seconds? lanes.Seconds
---@return nil
---@return "timeout"|lanes.CancelError
function lanes.sleep(seconds) end

-- Starting lanes ---------------------------------------------------------------

---@class lanes.GenOptions
---@field name? string the lane's name; "auto" makes one from where the body is defined
---@field globals? table copied into the lane's global variables
---@field required? string[] modules to be required before the body runs
---@field package? lanes.PackageOption
---@field error_trace_level? lanes.TraceLevel what `join` gives beside an error; default "minimal"
---@field gc_cb? fun(name: string, status: "closed"|"selfdestruct") called when the handle is collected
---@field priority? integer -3 to 3; default 0
---@field native_priority? integer on the system's scale; not together with `priority`

---@class lanes.PackageOption
---@field path? string
---@field cpath? string
---@field preload? table<string, function>

---@alias lanes.TraceLevel "minimal"|"basic"|"extended"

---Starts a lane each time it is called.
---@alias lanes.Generator fun(...: any): lanes.Handle

---Makes a generator: a function that starts a lane that runs `body`.
---
---All arguments but the last are libraries (`"*"`, `"base,string"`), tables of
---options, or nil; the last is the body, a function or a source text.
---@param body function|string
---@return lanes.Generator
---@overload fun(libraries: string|lanes.GenOptions|nil, body: function|string): lanes.Generator
---@overload fun(libraries: string|lanes.GenOptions|nil, options: string|lanes.GenOptions|nil, body: function|string): lanes.Generator
---@overload fun(...: string|lanes.GenOptions|function|nil): lanes.Generator
function lanes.gen(body) end

---As `lanes.gen`, but `coroutine.yield` in the body suspends the lane until
---`handle:resume`.
---@param body function|string
---@return lanes.Generator
---@overload fun(libraries: string|lanes.GenOptions|nil, body: function|string): lanes.Generator
---@overload fun(libraries: string|lanes.GenOptions|nil, options: string|lanes.GenOptions|nil, body: function|string): lanes.Generator
---@overload fun(...: string|lanes.GenOptions|function|nil): lanes.Generator
function lanes.coro(body) end

-- Lane handles -------------------------------------------------------------------

---@alias lanes.Status
---| "pending"   # has not entered its body
---| "running"   # runs code
---| "waiting"   # is blocked in a linda or in sleep
---| "suspended" # sits in a yield
---| "resuming"  # is about to go on after a yield
---| "closing"   # its coroutine is being closed
---| "done"      # has returned
---| "error"     # has raised an error
---| "cancelled" # was cancelled

---The owner's side of a lane. `handle[n]` waits for the end and gives the n-th
---result, `handle[0]` their number, `handle[-1]` the error value.
---@class lanes.Handle
---@field status lanes.Status
---@field error_trace_level lanes.TraceLevel
---@field [integer] any
local Handle = {}

---Waits for the end. Returns `true` and the results; `nil`, the error and
---perhaps a trace; `nil, lanes.cancel_error`; or `nil, "timeout"`.
---@param timeout? lanes.Seconds
---@return true? done
---@return any ...
function Handle:join(timeout) end

---@alias lanes.CancelMode
---| "soft"  # calls return the cancellation
---| "hard"  # calls raise it
---| "count" # hard, and a hook every so many instructions
---| "line"  # hard, and a hook at each line
---| "call"  # hard, and a hook at each call
---| "ret"   # hard, and a hook at each return
---| "all"   # hard, and all hooks

---Asks the lane to stop and waits for its end: `true, status`, or
---`false, "timeout"`. The modes of hooks need a count before the timeout.
---@param mode? lanes.CancelMode
---@param timeout? lanes.Seconds
---@param wake? boolean whether a call that is blocked ends; default false for "soft"
---@return boolean over
---@return lanes.Status|"timeout"
---@overload fun(self: lanes.Handle, mode: "count"|"line"|"call"|"ret"|"all", count: integer, timeout?: lanes.Seconds, wake?: boolean): boolean, string
---@overload fun(self: lanes.Handle, timeout: lanes.Seconds, wake?: boolean): boolean, string
function Handle:cancel(mode, timeout, wake) end

---Waits until the lane is suspended, returns what it has yielded, and lets it
---go on; the arguments are the results of its yield.
---@param ... any
---@return any ...
function Handle:resume(...) end

---@return string
---@nodiscard
function Handle:get_threadname() end

-- Lindas -------------------------------------------------------------------------

---@class lanes.LindaOptions
---@field name? string shown by `tostring`; "auto" names the place where it was made
---@field group? integer checked, without effect
---@field wake_period? lanes.Seconds|"never" how often a blocked call looks for requests that did not wake it
---@field close_handler? fun(linda: lanes.Linda, err: any) called when a to-be-closed variable with it goes out of scope

---Makes a linda: a set of queues under keys, shared by lanes.
---@param options? lanes.LindaOptions
---@return lanes.Linda
---@nodiscard
function lanes.linda(options) end

---@alias lanes.Fill "under"|"exact"|"over"
---@alias lanes.Restriction "none"|"set/get"|"send/receive"
---@alias lanes.Hint "both"|"read"|"write"

---A set of queues under keys. Timeouts stand before the keys and may be left
---out; nil means for ever, 0 tries once.
---@class lanes.Linda
---@field null lanes.Null
---@field status "active"|"cancelled"
local Linda = {}

---Appends the values, all or none. Returns true; `nil, "timeout"`;
---`nil, lanes.cancel_error`.
---@param timeout lanes.Seconds?
---@param key lanes.Key
---@param ... any at least one value
---@return true? sent
---@return "timeout"|lanes.CancelError|nil why
---@overload fun(self: lanes.Linda, key: lanes.Key, ...: any): true?, any
function Linda:send(timeout, key, ...) end

---Takes the oldest value of the first key that has one. Returns the key and
---the value; `nil, "timeout"`; `nil, lanes.cancel_error`.
---@param timeout lanes.Seconds?
---@param key lanes.Key
---@param ... lanes.Key
---@return lanes.Key? key
---@return any value
---@overload fun(self: lanes.Linda, key: lanes.Key, ...: lanes.Key): lanes.Key?, any
function Linda:receive(timeout, key, ...) end

---Waits for `min` values and takes up to `max`. Returns the key and the values.
---@param timeout lanes.Seconds?
---@param key lanes.Key
---@param min integer
---@param max? integer default `min`
---@return lanes.Key? key
---@return any ...
---@overload fun(self: lanes.Linda, key: lanes.Key, min: integer, max?: integer): lanes.Key?, ...: any
function Linda:receive_batched(timeout, key, min, max) end

---Replaces the contents, whatever the limit; without a value, clears them.
---@param key lanes.Key
---@param ... any
---@return boolean? woke whether this made room for blocked senders
---@return lanes.Fill|lanes.CancelError
function Linda:set(key, ...) end

---Looks at the oldest values without taking them.
---@param key lanes.Key
---@param count? integer default 1
---@return integer? found
---@return any ...
function Linda:get(key, count) end

---Sets how many values senders may fill the slot to; without `n`, returns it.
---@param key lanes.Key
---@param n integer|"unlimited"
---@return boolean? woke
---@return lanes.Fill|lanes.CancelError
---@overload fun(self: lanes.Linda, key: lanes.Key): integer|"unlimited", lanes.Fill
function Linda:limit(key, n) end

---Allows only some calls on the slot. Returns the mode before.
---@param key lanes.Key
---@param mode? lanes.Restriction
---@return lanes.Restriction? before
---@return lanes.CancelError? why
function Linda:restrict(key, mode) end

---How many values there are: of one slot, or a table by key.
---@param ... lanes.Key
---@return table<lanes.Key, integer>
---@overload fun(self: lanes.Linda, key: lanes.Key): integer?
function Linda:count(...) end

---@class lanes.Dump
---@field first integer the index of the oldest value in `fifo`
---@field count integer
---@field limit integer|"unlimited"
---@field restrict lanes.Restriction
---@field fifo table<integer, any>

---Copies of everything that is inside; nothing if no slot is known.
---@return table<lanes.Key, lanes.Dump>?
function Linda:dump() end

---Cancels the linda: its calls return `nil, lanes.cancel_error`. "none" makes
---it usable again.
---@param hint? lanes.Hint|"none" who is woken; default "both"
function Linda:cancel(hint) end

---Makes those who wait look for cancel requests.
---@param hint? lanes.Hint
function Linda:wake(hint) end

---Adds to the number in the slot, in one step, and returns the sum.
---@param key lanes.Key
---@param n number
---@return number|lanes.CancelError
function Linda:atomic_add(key, n) end

---A light userdata that stands for the linda, the same in all states.
---@return lightuserdata
---@nodiscard
function Linda:deep() end

---Does nothing: there is no hidden storage.
function Linda:collectgarbage() end

---Receives from slots of several lindas: `linda, key` pairs. Returns the linda,
---the key and the value.
---@param timeout lanes.Seconds?
---@param linda lanes.Linda
---@param key lanes.Key
---@param ... lanes.Linda|lanes.Key
---@return lanes.Linda? linda
---@return lanes.Key|"timeout"|lanes.CancelError key
---@return any value
---@overload fun(linda: lanes.Linda, key: lanes.Key, ...: lanes.Linda|lanes.Key): lanes.Linda?, any, any
function lanes.select(timeout, linda, key, ...) end

-- Timers, locks, counters --------------------------------------------------------

---At its time, sets the slot to `lanes.now_secs()`. Needs `with_timers = true`.
---@param linda lanes.Linda
---@param key lanes.Key
---@param when number|osdate|nil seconds from now, or a date; nil stops the timer
---@param period? lanes.Seconds
function lanes.timer(linda, key, when, period) end

---A list of `{ linda, key, { when, period } }`.
---@return { [1]: lanes.Linda, [2]: lanes.Key, [3]: number[] }[]
function lanes.timers() end

---A lock of `n` tokens in a slot: a function that takes (m > 0) and gives back
---(m < 0) tokens, all or none.
---@param linda lanes.Linda
---@param key lanes.Key
---@param n? integer default 1
---@return (fun(m: integer, mode?: "try"): boolean|lanes.CancelError|nil, any)|lanes.CancelError
function lanes.genlock(linda, key, n) end

---A counter in a slot: a function that adds its argument (default 1) and
---returns the sum.
---@param linda lanes.Linda
---@param key lanes.Key
---@param initial? number default 0.0
---@return (fun(diff?: number): number|lanes.CancelError)|lanes.CancelError
function lanes.genatomic(linda, key, initial) end

-- The program as a whole -----------------------------------------------------------

---Has `f` called last of all when the main state closes, with whether all
---lanes have ended.
---@param f? fun(all_ended: boolean): string?
function lanes.finally(f) end

---@class lanes.ThreadInfo
---@field name string
---@field status lanes.Status
---@field handle? lanes.Handle in the state that has it

---The lanes that run or whose handle exists, newest first. Needs
---`track_lanes = true`.
---@return lanes.ThreadInfo[]?
function lanes.threads() end

---Asks all lanes but the caller's to stop and waits for their end.
---@param mode? "soft"|"hard"
---@param timeout? lanes.Seconds
---@return boolean all_ended
---@return "timeout"? why
function lanes.cancel_all(mode, timeout) end

---Makes the functions and tables of a module known by name.
---@param name string
---@param module table|function|userdata
function lanes.register(name, module) end

---`require`, followed by `lanes.register`.
---@param name string
---@param ... any
---@return any
function lanes.require(name, ...) end

---The type of a value, and the name under which it is found.
---@param value any
---@return type
---@return any name
function lanes.nameof(value) end

---Packs an open file or a socket of luasocket for another lane.
---@param object file*|userdata
---@return lanes.Share
---@nodiscard
function lanes.share(object) end

---@class lanes.Share
local Share = {}

---A file or socket of the receiver's own; once for each share.
---@return file*|userdata
function Share:open() end

---The priority of the calling thread: -3 to 3, or on the system's scale.
---@param priority integer
---@param mode? "native"
function lanes.set_thread_priority(priority, mode) end

---The smallest and the largest priority.
---@param mode? "native"
---@return integer min
---@return integer max
function lanes.thread_priority_range(mode) end

---Binds the calling thread to the processors whose bits are set.
---@param mask integer
function lanes.set_thread_affinity(mask) end

---Raises `not implemented`.
---@param n integer
function lanes.set_singlethreaded(n) end

---Does nothing: there is no hidden storage.
function lanes.collectgarbage() end

-- Globals of lanes: the main program has none of them ------------------------------

---Whether this lane was asked to stop: false or "soft". Raises
---`lanes.cancel_error` after a hard request; with a true argument it returns
---"hard" instead.
---@param query? boolean
---@return false|"soft"|"hard"
function cancel_test(query) end

---Has `f` called when this lane ends; the one that was set last runs first.
---@param f fun(err: any, trace: table?)
function set_finalizer(f) end

---This lane's name, or gives it another.
---@param name? string
---@return string?
function lane_threadname(name) end

return lanes
