-- ZeroMQ through LuaJIT's FFI, with the functions of peers/zmq_c.c.
local ffi = require "ffi"

ffi.cdef [[
    void *zmq_ctx_new(void);
    int zmq_ctx_term(void *);
    int zmq_ctx_shutdown(void *);
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

-- The name without a number comes with the development package only.
local found, C = pcall(ffi.load, "zmq")
if not found then
    C = ffi.load("libzmq.so.5")
end

local SNDHWM, RCVHWM = 23, 24
local zmq = { PAIR = 0, PULL = 7, PUSH = 8 }

local function check(result, what)
    if result < 0 then
        error("zmq: " .. what, 2)
    end
end

local function pointer(context)
    return ffi.cast("void *", context)
end

function zmq.context()
    return tonumber(ffi.cast("uintptr_t", C.zmq_ctx_new()))
end

function zmq.term(context)
    check(C.zmq_ctx_term(pointer(context)), "term")
end

function zmq.shutdown(context)
    check(C.zmq_ctx_shutdown(pointer(context)), "shutdown")
end

function zmq.socket(context, kind, mark)
    local s = C.zmq_socket(pointer(context), kind)
    local value = ffi.new("int[1]", mark)
    check(C.zmq_setsockopt(s, SNDHWM, value, 4), "SNDHWM")
    check(C.zmq_setsockopt(s, RCVHWM, value, 4), "RCVHWM")
    return s
end

function zmq.bind(s, address)
    check(C.zmq_bind(s, address), "bind")
end

function zmq.connect(s, address)
    check(C.zmq_connect(s, address), "connect")
end

function zmq.send(s, text)
    check(C.zmq_send(s, text, #text, 0), "send")
end

local message = ffi.new("zmq_msg_t")
function zmq.receive(s)
    C.zmq_msg_init(message)
    check(C.zmq_msg_recv(message, s, 0), "receive")
    local text = ffi.string(C.zmq_msg_data(message), C.zmq_msg_size(message))
    C.zmq_msg_close(message)
    return text
end

function zmq.close(s)
    check(C.zmq_close(s), "close")
end

return zmq
