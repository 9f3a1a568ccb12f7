/* Bare threads: what a Lua state on a thread costs without lanes.
 *
 *   local threads = require "threads"
 *   threads.start("return ...", 42):join()      --> 42
 *
 * The peers that have no threads of their own run on them, and the benchmarks
 * of lane creation and of memory have their floor here. */

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#define THREAD "bench.thread"
#define STATE "bench.state"

struct thread {
    pthread_t id;
    lua_State *state;
    int status;
    int running;
};

/* What idle threads wait for. One for the process is enough for a benchmark. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int is_open;
static int arrived;

static void *run(void *argument) {
    struct thread *thread = argument;
    thread->status = lua_pcall(thread->state, lua_gettop(thread->state) - 1, LUA_MULTRET, 0);
    return NULL;
}

static void *idle(void *argument) {
    (void)argument;
    pthread_mutex_lock(&gate);
    while (!is_open) pthread_cond_wait(&opened, &gate);
    pthread_mutex_unlock(&gate);
    return NULL;
}

/* Pushes a copy of the scalar at `index` of `from` onto `to`. */
static int copy(lua_State *from, int index, lua_State *to) {
    size_t length;
    const char *text;
    switch (lua_type(from, index)) {
    case LUA_TNIL: lua_pushnil(to); return 1;
    case LUA_TBOOLEAN: lua_pushboolean(to, lua_toboolean(from, index)); return 1;
    case LUA_TNUMBER: lua_pushnumber(to, lua_tonumber(from, index)); return 1;
    case LUA_TSTRING:
        text = lua_tolstring(from, index, &length);
        lua_pushlstring(to, text, length);
        return 1;
    default: return 0;
    }
}

static lua_State *fresh(lua_State *L, int libraries) {
    lua_State *state = luaL_newstate();
    if (state == NULL) luaL_error(L, "no memory for a state");
    if (libraries) luaL_openlibs(state);
    return state;
}

static struct thread *new_thread(lua_State *L, int libraries) {
    struct thread *thread = lua_newuserdata(L, sizeof *thread);
    memset(thread, 0, sizeof *thread);
    luaL_getmetatable(L, THREAD);
    lua_setmetatable(L, -2);
    thread->state = fresh(L, libraries);
    return thread;
}

static void launch(lua_State *L, struct thread *thread, void *(*body)(void *)) {
    if (pthread_create(&thread->id, NULL, body, thread) != 0) luaL_error(L, "no thread");
    thread->running = 1;
}

/* start(source, ...): runs the chunk on a thread, in a state with all libraries. */
static int threads_start(lua_State *L) {
    int index, top = lua_gettop(L);
    size_t length;
    const char *source = luaL_checklstring(L, 1, &length);
    struct thread *thread = new_thread(L, 1);
    if (luaL_loadbuffer(thread->state, source, length, "=thread") != 0)
        return luaL_error(L, "%s", lua_tostring(thread->state, -1));
    luaL_checkstack(thread->state, top, "arguments");
    for (index = 2; index <= top; index++)
        if (!copy(L, index, thread->state)) return luaL_argerror(L, index, "not a scalar");
    launch(L, thread, run);
    return 1;
}

/* bare(libraries): a state on a thread that runs an empty chunk. */
static int threads_bare(lua_State *L) {
    struct thread *thread = new_thread(L, lua_toboolean(L, 1));
    if (luaL_loadbuffer(thread->state, "return 1", 8, "=thread") != 0)
        return luaL_error(L, "%s", lua_tostring(thread->state, -1));
    launch(L, thread, run);
    return 1;
}

/* idle(libraries): a state on a thread that sleeps until release() is called. */
static int threads_idle(lua_State *L) {
    launch(L, new_thread(L, lua_toboolean(L, 1)), idle);
    return 1;
}

static int threads_release(lua_State *L) {
    (void)L;
    pthread_mutex_lock(&gate);
    is_open = 1;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&gate);
    return 0;
}

/* arrive(): counts the caller in. arrived(): how many there are. */
static int threads_arrive(lua_State *L) {
    (void)L;
    pthread_mutex_lock(&gate);
    arrived++;
    pthread_mutex_unlock(&gate);
    return 0;
}

static int threads_arrived(lua_State *L) {
    pthread_mutex_lock(&gate);
    lua_pushnumber(L, arrived);
    pthread_mutex_unlock(&gate);
    return 1;
}

/* released(): whether release() has been called. */
static int threads_released(lua_State *L) {
    pthread_mutex_lock(&gate);
    lua_pushboolean(L, is_open);
    pthread_mutex_unlock(&gate);
    return 1;
}

/* state(libraries): a state without a thread. */
static int threads_state(lua_State *L) {
    lua_State **state = lua_newuserdata(L, sizeof *state);
    *state = NULL;
    luaL_getmetatable(L, STATE);
    lua_setmetatable(L, -2);
    *state = fresh(L, lua_toboolean(L, 1));
    return 1;
}

/* state:close() */
static int state_close(lua_State *L) {
    lua_State **state = luaL_checkudata(L, 1, STATE);
    if (*state != NULL) lua_close(*state);
    *state = NULL;
    return 0;
}

/* join(): waits; gives the chunk's results, or raises its error. */
static int thread_join(lua_State *L) {
    struct thread *thread = luaL_checkudata(L, 1, THREAD);
    int index, count = 0;
    if (!thread->running) return luaL_error(L, "joined already");
    pthread_join(thread->id, NULL);
    thread->running = 0;
    if (thread->status != 0) {
        lua_pushfstring(L, "thread: %s", lua_tostring(thread->state, -1));
        return lua_error(L);
    }
    count = lua_gettop(thread->state);
    luaL_checkstack(L, count, "results");
    for (index = 1; index <= count; index++)
        if (!copy(thread->state, index, L)) lua_pushnil(L);
    lua_close(thread->state);
    thread->state = NULL;
    return count;
}

static int thread_gc(lua_State *L) {
    struct thread *thread = luaL_checkudata(L, 1, THREAD);
    if (thread->running) pthread_join(thread->id, NULL);
    if (thread->state != NULL) lua_close(thread->state);
    thread->running = 0;
    thread->state = NULL;
    return 0;
}

static int pin(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    return sched_setaffinity(0, sizeof set, &set);
}

/* pin(n): the calling thread stays on processor n (the first is 0). */
static int threads_pin(lua_State *L) {
    if (pin((int)luaL_checknumber(L, 1)) != 0) return luaL_error(L, "cannot pin");
    return 0;
}

/* now(): seconds of a clock that only goes forward. */
static int threads_now(lua_State *L) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    lua_pushnumber(L, (lua_Number)now.tv_sec + (lua_Number)now.tv_nsec * 1e-9);
    return 1;
}

/* line(): nanoseconds that a cache line takes from processor 0 to processor 1.
 * The calling thread stays on processor 0. */
enum { ROUNDS = 400, WARM = 100 };
static _Alignas(128) atomic_int line;

static void *answer(void *unused) {
    pin(1);
    for (int i = 0; i < ROUNDS; i++) {
        while (atomic_load_explicit(&line, memory_order_acquire) != 2 * i + 1) {}
        atomic_store_explicit(&line, 2 * i + 2, memory_order_release);
    }
    return unused;
}

static int threads_line(lua_State *L) {
    struct timespec begun, ended;
    pthread_t other;
    if (pin(0) != 0) return luaL_error(L, "cannot pin");
    atomic_store(&line, 0);
    if (pthread_create(&other, NULL, answer, NULL) != 0) return luaL_error(L, "no thread");
    for (int i = 0; i < ROUNDS; i++) {
        if (i == WARM) clock_gettime(CLOCK_MONOTONIC, &begun);
        atomic_store_explicit(&line, 2 * i + 1, memory_order_release);
        while (atomic_load_explicit(&line, memory_order_acquire) != 2 * i + 2) {}
    }
    clock_gettime(CLOCK_MONOTONIC, &ended);
    pthread_join(other, NULL);
    lua_pushnumber(L, ((lua_Number)(ended.tv_sec - begun.tv_sec) * 1e9 +
                       (lua_Number)(ended.tv_nsec - begun.tv_nsec)) /
                          (2 * (ROUNDS - WARM)));
    return 1;
}

static void function(lua_State *L, const char *name, lua_CFunction f) {
    lua_pushcfunction(L, f);
    lua_setfield(L, -2, name);
}

int luaopen_threads(lua_State *L) {
    luaL_newmetatable(L, STATE);
    function(L, "__gc", state_close);
    function(L, "close", state_close);
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "__index");
    luaL_newmetatable(L, THREAD);
    function(L, "__gc", thread_gc);
    function(L, "join", thread_join);
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "__index");
    lua_newtable(L);
    function(L, "start", threads_start);
    function(L, "bare", threads_bare);
    function(L, "idle", threads_idle);
    function(L, "release", threads_release);
    function(L, "arrive", threads_arrive);
    function(L, "arrived", threads_arrived);
    function(L, "released", threads_released);
    function(L, "state", threads_state);
    function(L, "pin", threads_pin);
    function(L, "now", threads_now);
    function(L, "line", threads_line);
    return 1;
}
