/* Threads that the system refuses, for the tests. To be loaded with LD_PRELOAD,
   so that its pthread_create comes before the system's, and required as a
   module, which is then the same library:

   threads.refuse(n)  the next n threads are refused; -1: all from now on
   threads.made()     how many were made since the program began
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include <lauxlib.h>
#include <lua.h>

static int to_refuse;
static int made;

typedef int create_t(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*body)(void *), void *argument) {
  create_t *real;
  int left = __atomic_load_n(&to_refuse, __ATOMIC_SEQ_CST);
  if (left > 0) __atomic_sub_fetch(&to_refuse, 1, __ATOMIC_SEQ_CST);
  if (left != 0) return EAGAIN;
  *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
  __atomic_add_fetch(&made, 1, __ATOMIC_SEQ_CST);
  return real(thread, how, body, argument);
}

static int refuse(lua_State *L) {
  __atomic_store_n(&to_refuse, (int)luaL_checkinteger(L, 1), __ATOMIC_SEQ_CST);
  return 0;
}

static int threads_made(lua_State *L) {
  lua_pushinteger(L, __atomic_load_n(&made, __ATOMIC_SEQ_CST));
  return 1;
}

int luaopen_threads(lua_State *L) {
  lua_newtable(L);
  lua_pushcfunction(L, refuse), lua_setfield(L, -2, "refuse");
  lua_pushcfunction(L, threads_made), lua_setfield(L, -2, "made");
  return 1;
}
