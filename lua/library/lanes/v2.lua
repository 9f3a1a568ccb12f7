---@meta lanes.v2

-- Definitions for editors: `require "lanes.v2"`, the interface of Lanes 2.x,
-- which also sets the global `lanes`. What it shares with 4.x has the types of
-- `lanes.lua`, beside this folder.

---It inherits the global variables.
---@class lanes.v2
---@field ABOUT lanes.About
---@field _M lanes.v2
---@field _NAME "lanes"
---@field _PACKAGE ""
lanes = {}

---@class lanes.v2.GenOptions: lanes.GenOptions
---@field cancelstep? boolean|integer looks for cancel requests every so many instructions
---@field packagepath? string
---@field packagecpath? string

---@alias lanes.v2.Generator fun(...: any): lanes.v2.Handle

---@param body function|string
---@return lanes.v2.Generator
---@overload fun(...: string|lanes.v2.GenOptions|function|nil): lanes.v2.Generator
function lanes.gen(body) end

---`handle[n]` waits for the end and gives the n-th result.
---@class lanes.v2.Handle
---@field status lanes.Status
---@field [integer] any
local Handle = {}

---Waits for the end. Returns the results; `nil, error, trace`; nothing at the
---timeout, or if it was cancelled.
---@param timeout? lanes.Seconds
---@return any ...
function Handle:join(timeout) end

---Asks the lane to stop; waits for `timeout` (default 0).
---@param timeout? lanes.Seconds
---@param force? boolean stop Lua code by a hook
---@return boolean over
function Handle:cancel(timeout, force) end

---@return lanes.v2.Linda
---@nodiscard
function lanes.linda() end

---@class lanes.v2.Linda
---@field batched string the marker of batched receives
local Linda = {}

---@param timeout lanes.Seconds?
---@param key lanes.Key
---@param ... any
---@return boolean sent
---@overload fun(self: lanes.v2.Linda, key: lanes.Key, ...: any): boolean
function Linda:send(timeout, key, ...) end

---Returns the value and the key; nothing at the timeout.
---`linda:receive(timeout, linda.batched, key, n)` takes n values.
---@param timeout lanes.Seconds?
---@param key lanes.Key
---@param ... lanes.Key
---@return any value
---@return lanes.Key? key
---@overload fun(self: lanes.v2.Linda, key: lanes.Key, ...: lanes.Key): any, lanes.Key?
function Linda:receive(timeout, key, ...) end

---@param key lanes.Key
---@param value any nil clears the slot
function Linda:set(key, value) end

---@param key lanes.Key
---@return any value
function Linda:get(key) end

---@param key lanes.Key
---@param n integer
function Linda:limit(key, n) end

---@param ... lanes.Key
---@return table<lanes.Key, integer>
---@overload fun(self: lanes.v2.Linda, key: lanes.Key): integer?
function Linda:count(...) end

---@return table?
function Linda:dump() end

---@param key lanes.Key
---@param n number
---@return number
function Linda:atomic_add(key, n) end

---@return lightuserdata
---@nodiscard
function Linda:deep() end

---@param timeout lanes.Seconds?
---@param linda lanes.v2.Linda
---@param key lanes.Key
---@param ... lanes.v2.Linda|lanes.Key
---@return any ...
---@overload fun(linda: lanes.v2.Linda, key: lanes.Key, ...: lanes.v2.Linda|lanes.Key): ...: any
function lanes.select(timeout, linda, key, ...) end

---@param linda lanes.v2.Linda
---@param key lanes.Key
---@param when number|osdate
---@param period? lanes.Seconds
function lanes.timer(linda, key, when, period) end

---@param linda lanes.v2.Linda
---@param key lanes.Key
---@param n? integer
---@return fun(m: integer)
function lanes.genlock(linda, key, n) end

---@param linda lanes.v2.Linda
---@param key lanes.Key
---@param initial? number
---@return fun(diff?: number): number
function lanes.genatomic(linda, key, initial) end

---@param mode? "soft"|"hard"
---@param timeout? lanes.Seconds
---@return boolean all_ended
---@return "timeout"? why
function lanes.cancel_all(mode, timeout) end

---@param object file*|userdata
---@return lanes.Share
---@nodiscard
function lanes.share(object) end

-- Globals of lanes in 2.x, besides `set_finalizer` and `cancel_test`.

---@param name string
function set_debug_threadname(name) end

return lanes
