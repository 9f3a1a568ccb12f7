/* A complete C module with a shared and a clonable type, for the tests: it
   shows how include/lanes.h is used.

   counter.new(n)     -> a counter that all lanes share: c:add(n) -> new value,
                         c:get(), c:references(); #c
   counter.live()     -> how many counters exist in the process
   counter.point(x,y) -> a userdata that is cloned: p:xy() -> x, y
*/
#include <stdlib.h>

#include <lauxlib.h>
#include <lua.h>

#include "lanes.h"

typedef struct { long value; } counter_t;
static long live;

static void counter_destroy(void *object) {
  __atomic_sub_fetch(&live, 1, __ATOMIC_SEQ_CST);
  free(object);
}

static void counter_metatable(lua_State *L);

static const lanes_type COUNTER = {LANES_ABI, "counter", "counter", 1, counter_destroy, counter_metatable};

static counter_t *check(lua_State *L) {
  const lanes_api *api = lanes_api_of(L);
  counter_t *c = api ? (counter_t *)api->get(L, 1, &COUNTER) : NULL;
  if (c == NULL) luaL_argerror(L, 1, "counter expected");
  return c;
}

static int counter_add(lua_State *L) {
  counter_t *c = check(L);
  lua_pushinteger(L, __atomic_add_fetch(&c->value, (long)luaL_checkinteger(L, 2), __ATOMIC_SEQ_CST));
  return 1;
}

static int counter_get(lua_State *L) {
  lua_pushinteger(L, __atomic_load_n(&check(L)->value, __ATOMIC_SEQ_CST));
  return 1;
}

static int counter_references(lua_State *L) {
  check(L);
  lua_pushinteger(L, (lua_Integer)lanes_api_of(L)->references(L, 1, &COUNTER));
  return 1;
}

/* The user value of a proxy: any table. */
static int counter_tag(lua_State *L) {
  check(L);
  if (lua_gettop(L) > 1) {
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
#if LUA_VERSION_NUM >= 504
    lua_setiuservalue(L, 1, 1);
#elif LUA_VERSION_NUM >= 502
    lua_setuservalue(L, 1);
#else
    lua_setfenv(L, 1);
#endif
    return 0;
  }
#if LUA_VERSION_NUM >= 504
  lua_getiuservalue(L, 1, 1);
#elif LUA_VERSION_NUM >= 502
  lua_getuservalue(L, 1);
#else
  lua_getfenv(L, 1);
#endif
  return 1;
}

static void set(lua_State *L, const char *name, lua_CFunction f) {
  lua_pushcfunction(L, f);
  lua_setfield(L, -2, name);
}

static void counter_metatable(lua_State *L) {
  lua_newtable(L);
  set(L, "__len", counter_get);
  lua_newtable(L);
  set(L, "add", counter_add);
  set(L, "get", counter_get);
  set(L, "references", counter_references);
  set(L, "tag", counter_tag);
  lua_setfield(L, -2, "__index");
}

static int counter_new(lua_State *L) {
  const lanes_api *api = lanes_api_of(L);
  counter_t *c;
  if (api == NULL) return luaL_error(L, "require 'lanes' first");
  c = (counter_t *)malloc(sizeof *c);
  if (c == NULL) return luaL_error(L, "not enough memory");
  c->value = (long)luaL_optinteger(L, 1, 0);
  __atomic_add_fetch(&live, 1, __ATOMIC_SEQ_CST);
  api->push(L, &COUNTER, c);
  return 1;
}

static int counter_live(lua_State *L) {
  lua_pushinteger(L, __atomic_load_n(&live, __ATOMIC_SEQ_CST));
  return 1;
}

/* A point owns a block of memory, so a plain copy of it would free it twice. */
typedef struct { double *xy; } point_t;
static long points;

static int point_clone(lua_State *L) {
  point_t *to = (point_t *)lua_touserdata(L, 1);
  const point_t *from = (const point_t *)lua_touserdata(L, 2);
  if (luaL_checkinteger(L, 3) != (lua_Integer)sizeof *to) return luaL_error(L, "another size");
  to->xy = (double *)malloc(2 * sizeof(double));
  if (to->xy == NULL) return luaL_error(L, "not enough memory");
  to->xy[0] = from->xy[0];
  to->xy[1] = from->xy[1];
  __atomic_add_fetch(&points, 1, __ATOMIC_SEQ_CST);
  return 0;
}

static int point_gc(lua_State *L) {
  point_t *p = (point_t *)lua_touserdata(L, 1);
  if (p->xy != NULL) {
    free(p->xy);
    p->xy = NULL;
    __atomic_sub_fetch(&points, 1, __ATOMIC_SEQ_CST);
  }
  return 0;
}

static int point_xy(lua_State *L) {
  const point_t *p = (const point_t *)luaL_checkudata(L, 1, "point");
  lua_pushnumber(L, p->xy[0]);
  lua_pushnumber(L, p->xy[1]);
  return 2;
}

static void point_metatable(lua_State *L) {
  if (luaL_newmetatable(L, "point")) {
    set(L, "__lanesclone", point_clone);
    set(L, "__gc", point_gc);
    lua_newtable(L);
    set(L, "xy", point_xy);
    lua_setfield(L, -2, "__index");
  }
}

static int point_new(lua_State *L) {
  point_t *p = (point_t *)lua_newuserdata(L, sizeof *p);
  p->xy = NULL;
  point_metatable(L);
  lua_setmetatable(L, -2);
  p->xy = (double *)malloc(2 * sizeof(double));
  if (p->xy == NULL) return luaL_error(L, "not enough memory");
  p->xy[0] = luaL_checknumber(L, 1);
  p->xy[1] = luaL_checknumber(L, 2);
  __atomic_add_fetch(&points, 1, __ATOMIC_SEQ_CST);
  return 1;
}

static int points_live(lua_State *L) {
  lua_pushinteger(L, __atomic_load_n(&points, __ATOMIC_SEQ_CST));
  return 1;
}

int luaopen_counter(lua_State *L) {
  lua_newtable(L);
  set(L, "new", counter_new);
  set(L, "live", counter_live);
  set(L, "point", point_new);
  set(L, "points", points_live);
  /* The C functions of the metatable of points must be found by name in other
     states: it is reachable from the module. */
  point_metatable(L);
  lua_setfield(L, -2, "point_metatable");
  return 1;
}
