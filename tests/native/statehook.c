/* A C function for the option on_state_create, which counts its calls, and
   allocators that are wrong in different ways. */
#include <lauxlib.h>
#include <lua.h>
#include <string.h>

static int lanes_seen, keepers_seen;

static int made(lua_State *L) {
  lua_pushliteral(L, "made by C");
  return 1;
}

/* Called with "lane" or "keeper". Lanes get a module through package.preload,
   if they have the package library. */
static int hook(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  if (strcmp(where, "lane") == 0) __atomic_add_fetch(&lanes_seen, 1, __ATOMIC_SEQ_CST);
  else __atomic_add_fetch(&keepers_seen, 1, __ATOMIC_SEQ_CST);
  lua_getglobal(L, "package");
  if (lua_istable(L, -1)) {
    lua_getfield(L, -1, "preload");
    lua_pushcfunction(L, made);
    lua_setfield(L, -2, "made");
  } else if (strcmp(where, "keeper") == 0) {
    return luaL_error(L, "no package library");
  }
  return 0;
}

/* -> calls with "lane", calls with "keeper" */
static int seen(lua_State *L) {
  lua_pushinteger(L, __atomic_load_n(&lanes_seen, __ATOMIC_SEQ_CST));
  lua_pushinteger(L, __atomic_load_n(&keepers_seen, __ATOMIC_SEQ_CST));
  return 2;
}

static int nothing(lua_State *L) {
  (void)L;
  return 0;
}

static int small(lua_State *L) {
  lua_newuserdata(L, 1);
  return 1;
}

static int upvalues(lua_State *L) {
  lua_pushinteger(L, 1);
  lua_pushcclosure(L, nothing, 1);
  return 1;
}

int luaopen_statehook(lua_State *L) {
  lua_newtable(L);
  lua_pushcfunction(L, hook), lua_setfield(L, -2, "hook");
  lua_pushcfunction(L, seen), lua_setfield(L, -2, "seen");
  lua_pushcfunction(L, nothing), lua_setfield(L, -2, "nothing");
  lua_pushcfunction(L, small), lua_setfield(L, -2, "small");
  lua_pushcfunction(L, upvalues), lua_setfield(L, -2, "upvalues");
  return 1;
}
