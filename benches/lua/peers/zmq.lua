-- ZeroMQ (inproc) through LuaJIT's FFI: the peer of lat.lua and thr.lua.
--
--   luajit benches/lua/peers/zmq.lua lat|thr [size] [count] [mark]
--
-- Both ends run in lanes of one process; the context goes to the other one as
-- a number. `mark` is the high-water mark of both ends (ZeroMQ's own: 1000).

local lanes = require "lanes"
local mode, size, count = arg[1] or "thr", tonumber(arg[2] or 512), tonumber(arg[3] or 1000000)
local mark = tonumber(arg[4] or 100)

local function open()
  local ffi = require "ffi"
  -- The other lane has a state, and so C declarations, of its own.
  ffi.cdef [[
    void *zmq_ctx_new(void);
    int zmq_ctx_term(void *);
    void *zmq_socket(void *, int);
    int zmq_close(void *);
    int zmq_setsockopt(void *, int, const void *, size_t);
    int zmq_bind(void *, const char *);
    int zmq_connect(void *, const char *);
    int zmq_send(void *, const void *, size_t, int);
    typedef struct { unsigned char _ [64]; } zmq_msg_t;
    int zmq_msg_init(zmq_msg_t *);
    int zmq_msg_recv(zmq_msg_t *, void *, int);
    size_t zmq_msg_size(zmq_msg_t *);
    void *zmq_msg_data(zmq_msg_t *);
    int zmq_msg_close(zmq_msg_t *);
  ]]
  local ok, C = pcall(ffi.load, "zmq")
  if not ok then C = ffi.load("libzmq.so.5") end
  local zmq = { C = C, PAIR = 0, PULL = 7, PUSH = 8 }
  local function check(result, what) if result < 0 then error("zmq: " .. what) end return result end
  function zmq.socket(context, kind, mark)
    local s = C.zmq_socket(context, kind)
    local value = ffi.new("int[1]", mark)
    check(C.zmq_setsockopt(s, 23, value, 4), "SNDHWM")
    check(C.zmq_setsockopt(s, 24, value, 4), "RCVHWM")
    return s
  end
  function zmq.send(s, text) check(C.zmq_send(s, text, #text, 0), "send") end
  local msg = ffi.new("zmq_msg_t")
  function zmq.receive(s)
    C.zmq_msg_init(msg)
    check(C.zmq_msg_recv(msg, s, 0), "recv")
    local text = ffi.string(C.zmq_msg_data(msg), C.zmq_msg_size(msg))
    C.zmq_msg_close(msg)
    return text
  end
  function zmq.pointer(number) return ffi.cast("void *", number) end
  function zmq.number(pointer) return tonumber(ffi.cast("uintptr_t", pointer)) end
  return zmq
end

local zmq = open()
local context = zmq.C.zmq_ctx_new()
local receiver = zmq.socket(context, mode == "lat" and zmq.PAIR or zmq.PULL, mark)
assert(zmq.C.zmq_bind(receiver, "inproc://pair") == 0)

local other = lanes.gen("*", function(context, mode, size, count, mark)
  local zmq = open()
  local s = zmq.socket(zmq.pointer(context), mode == "lat" and zmq.PAIR or zmq.PUSH, mark)
  assert(zmq.C.zmq_connect(s, "inproc://pair") == 0)
  local text = ("x"):rep(size)
  for _ = 1, count do
    if mode == "lat" then text = zmq.receive(s) end
    zmq.send(s, text)
  end
  zmq.C.zmq_close(s)
  return true
end)(zmq.number(context), mode, size, count, mark)

local text = ("x"):rep(size)
if mode == "thr" then zmq.receive(receiver) end
local start = lanes.now_secs()
if mode == "lat" then
  for _ = 1, count do
    zmq.send(receiver, text)
    text = zmq.receive(receiver)
    assert(#text == size)
  end
else
  for _ = 2, count do assert(#zmq.receive(receiver) == size) end
end
local seconds = lanes.now_secs() - start
assert(other[1])
zmq.C.zmq_close(receiver)
zmq.C.zmq_ctx_term(context)
if mode == "lat" then
  print(("zmq lat size=%d count=%d latency_us=%.3f"):format(size, count, seconds / count / 2 * 1e6))
else
  print(("zmq thr size=%d count=%d messages_per_s=%.0f"):format(size, count, (count - 1) / seconds))
end
