-- LuaJIT: `send` and `receive` of the common cases as compiled code.
--
-- A C function ends the trace that calls it; a call through the FFI does not.
-- So what is common (one string, number or boolean, one key that is a string)
-- goes through a small C interface here, and everything else, errors too, goes
-- to the C functions that were there before. They are also who decides what is
-- returned or raised when nothing was sent or received.
--
-- `p` has: ffi, jit, generation, methods, metatable, context, send_text,
-- send_number, send_boolean, receive, is_linda, not_sent, not_received, held,
-- batched.

local p = ...
local ffi = p.ffi
if not p.jit.status() then return end

ffi.cdef[[
typedef struct {
  int32_t busy;
  int32_t kind;
  const char *text;
  size_t length;
  double number;
} rlanes_received;
typedef int32_t (*rlanes_send_text)(void *, void *, const char *, size_t, const char *, size_t, double);
typedef int32_t (*rlanes_send_number)(void *, void *, const char *, size_t, double, double);
typedef int32_t (*rlanes_send_boolean)(void *, void *, const char *, size_t, bool, double);
typedef int32_t (*rlanes_receive)(void *, void *, const char *, size_t, double, rlanes_received *);
]]

local select, setmetatable, tonumber, type = select, setmetatable, tonumber, type
local text_of = ffi.string
local context = ffi.cast("void *", p.context)
local send_text = ffi.cast("rlanes_send_text", p.send_text)
local send_number = ffi.cast("rlanes_send_number", p.send_number)
local send_boolean = ffi.cast("rlanes_send_boolean", p.send_boolean)
local receive_one = ffi.cast("rlanes_receive", p.receive)
local received = ffi.new "rlanes_received"
local generation, is_linda = p.generation, p.is_linda
local not_sent, not_received, held = p.not_sent, p.not_received, p.held
local methods = p.methods
local slow_send, slow_receive = methods.send, methods.receive

-- What `fast.rs` answers.
local NOTHING, DONE = 0, 1
local TEXT, NUMBER, TRUE, FALSE = 1, 2, 3, 4
-- Longer texts are not kept until the next one is received.
local LONG = 4096

-- The lindas that were seen here.
local lindas = setmetatable({}, { __mode = "k" })

local function learn(linda)
  if not is_linda(linda) then return false end
  lindas[linda] = true
  return true
end

-- In 2.x a string that looks like a number is a timeout, not a key. And in 2.x
-- and 3.x a marker in the place of the key is the start of a batch.
local keys = {}
local function learn_key(key)
  if key == p.batched or (generation == 2 and tonumber(key)) then return false end
  keys[key] = true
  return true
end
if generation == 4 then
  learn_key = function() return true end
else
  setmetatable(keys, { __mode = "k" })
end

local function send(linda, ...)
  local given = select("#", ...)
  local timeout, key, value = ...
  if given == 2 then
    timeout, key, value = -1, timeout, key
  elseif given ~= 3 or type(timeout) ~= "number" or not (timeout >= 0) then
    return slow_send(linda, ...)
  end
  if type(key) == "string" and (lindas[linda] or learn(linda)) and (keys[key] or learn_key(key)) then
    local status = NOTHING
    local kind = type(value)
    if kind == "string" then
      status = send_text(context, linda, key, #key, value, #value, timeout)
    elseif kind == "number" then
      status = send_number(context, linda, key, #key, value, timeout)
    elseif kind == "boolean" then
      status = send_boolean(context, linda, key, #key, value, timeout)
    end
    if status == DONE then return true end
    if status ~= NOTHING then return not_sent(status) end
  end
  return slow_send(linda, ...)
end

local function receive(linda, ...)
  local given = select("#", ...)
  local timeout, key = ...
  if given == 1 then
    timeout, key = -1, timeout
  elseif given ~= 2 or type(timeout) ~= "number" or not (timeout >= 0) then
    return slow_receive(linda, ...)
  end
  if type(key) == "string" and (lindas[linda] or learn(linda)) and (keys[key] or learn_key(key)) then
    local status = receive_one(context, linda, key, #key, timeout, received)
    if status == DONE then
      local kind, value = received.kind, nil
      if kind == TEXT then
        local length = received.length
        value = text_of(received.text, length)
        received.busy = 0
        if length > LONG then held(false) end
      else
        received.busy = 0
        if kind == NUMBER then
          value = received.number
        elseif kind == TRUE then
          value = true
        elseif kind == FALSE then
          value = false
        else
          value = held(true)
        end
      end
      if generation == 2 then return value, key end
      return key, value
    end
    if status ~= NOTHING then return not_received(status) end
  end
  return slow_receive(linda, ...)
end

methods.send, methods.receive = send, receive

-- The C function that looks methods up in 4.x would end traces, too.
local slow_index = p.metatable.__index
if slow_index ~= methods then
  p.metatable.__index = function(linda, key)
    local method = methods[key]
    if method ~= nil then return method end
    return slow_index(linda, key)
  end
end
