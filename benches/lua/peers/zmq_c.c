/* ZeroMQ as a C module: as much of a binding as the benchmarks need.
 *
 *   local zmq = require "zmq_c"
 *   local context = zmq.context()                      -- a number
 *   local s = zmq.socket(context, zmq.PULL, 1000)      -- high-water mark
 *   zmq.bind(s, "inproc://name")   zmq.connect(s, "inproc://name")
 *   zmq.send(s, "text")   zmq.receive(s) --> "text"
 *   zmq.close(s)   zmq.term(context)
 *
 * A string is sent from where Lua keeps it and received into a message that
 * becomes a Lua string: one copy on each side, as any binding must. */

#include <errno.h>
#include <stdint.h>

#include <lauxlib.h>
#include <lua.h>
#include <zmq.h>

#define SOCKET "bench.zmq"

static int failed(lua_State *L, const char *what) {
    return luaL_error(L, "%s: %s", what, zmq_strerror(zmq_errno()));
}

/* The context crosses from one state to another as a number: an address of a
 * process has fewer bits than a float keeps. */
static int zmq_lua_context(lua_State *L) {
    void *context = zmq_ctx_new();
    if (context == NULL) return failed(L, "context");
    lua_pushnumber(L, (lua_Number)(uintptr_t)context);
    return 1;
}

static void *context_of(lua_State *L) {
    return (void *)(uintptr_t)luaL_checknumber(L, 1);
}

static int zmq_lua_term(lua_State *L) {
    if (zmq_ctx_term(context_of(L)) != 0) return failed(L, "term");
    return 0;
}

/* shutdown(context): what blocks on its sockets fails from now on. */
static int zmq_lua_shutdown(lua_State *L) {
    if (zmq_ctx_shutdown(context_of(L)) != 0) return failed(L, "shutdown");
    return 0;
}

static int zmq_lua_socket(lua_State *L) {
    int kind = (int)luaL_checknumber(L, 2);
    int mark = (int)luaL_checknumber(L, 3);
    void **s = lua_newuserdata(L, sizeof *s);
    *s = zmq_socket(context_of(L), kind);
    if (*s == NULL) return failed(L, "socket");
    luaL_getmetatable(L, SOCKET);
    lua_setmetatable(L, -2);
    if (zmq_setsockopt(*s, ZMQ_SNDHWM, &mark, sizeof mark) != 0) return failed(L, "SNDHWM");
    if (zmq_setsockopt(*s, ZMQ_RCVHWM, &mark, sizeof mark) != 0) return failed(L, "RCVHWM");
    return 1;
}

static void *checked(lua_State *L) {
    void **s = luaL_checkudata(L, 1, SOCKET);
    if (*s == NULL) luaL_error(L, "the socket is closed");
    return *s;
}

static int socket_bind(lua_State *L) {
    if (zmq_bind(checked(L), luaL_checkstring(L, 2)) != 0) return failed(L, "bind");
    return 0;
}

static int socket_connect(lua_State *L) {
    if (zmq_connect(checked(L), luaL_checkstring(L, 2)) != 0) return failed(L, "connect");
    return 0;
}

static int socket_send(lua_State *L) {
    void *s = checked(L);
    size_t length;
    const char *text = luaL_checklstring(L, 2, &length);
    while (zmq_send(s, text, length, 0) < 0)
        if (zmq_errno() != EINTR) return failed(L, "send");
    return 0;
}

static int socket_receive(lua_State *L) {
    void *s = checked(L);
    zmq_msg_t message;
    zmq_msg_init(&message);
    while (zmq_msg_recv(&message, s, 0) < 0)
        if (zmq_errno() != EINTR) return failed(L, "receive");
    lua_pushlstring(L, zmq_msg_data(&message), zmq_msg_size(&message));
    zmq_msg_close(&message);
    return 1;
}

static int socket_close(lua_State *L) {
    void **s = luaL_checkudata(L, 1, SOCKET);
    if (*s != NULL && zmq_close(*s) != 0) return failed(L, "close");
    *s = NULL;
    return 0;
}

static void function(lua_State *L, const char *name, lua_CFunction f) {
    lua_pushcfunction(L, f);
    lua_setfield(L, -2, name);
}

static void number(lua_State *L, const char *name, int value) {
    lua_pushnumber(L, value);
    lua_setfield(L, -2, name);
}

int luaopen_zmq_c(lua_State *L) {
    luaL_newmetatable(L, SOCKET);
    function(L, "__gc", socket_close);
    lua_newtable(L);
    function(L, "context", zmq_lua_context);
    function(L, "term", zmq_lua_term);
    function(L, "shutdown", zmq_lua_shutdown);
    function(L, "socket", zmq_lua_socket);
    function(L, "bind", socket_bind);
    function(L, "connect", socket_connect);
    function(L, "send", socket_send);
    function(L, "receive", socket_receive);
    function(L, "close", socket_close);
    number(L, "PAIR", ZMQ_PAIR);
    number(L, "PULL", ZMQ_PULL);
    number(L, "PUSH", ZMQ_PUSH);
    return 1;
}
