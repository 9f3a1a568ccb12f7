/* States that run out of memory at a chosen allocation, for the tests.

   oom.call(n, f, ...)      -> failed, ok, results or the error: calls f while the
                               n-th allocation of this state and all after it
                               fail; `failed` says whether there was an n-th
   oom.limit(bytes)            this state may take so many bytes more, for good
   oom.state(n, m, source)  -> failed, failed in closing: runs source in a state
                               of its own, first with the n-th allocation failing
                               and, if that raised, again without; closes it with
                               the m-th failing. Raises what it should not raise.

   Shrinking never fails: Lua relies on that. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

static const char pinned = 0;

typedef struct {
  lua_Alloc alloc;
  void *ud;
  long countdown; /* to the first failure; negative: none comes */
  long left;      /* bytes; negative: no limit */
  int failed;
} budget_t;

static void *limited(void *ud, void *block, size_t old, size_t new) {
  budget_t *b = (budget_t *)ud;
  size_t had = block == NULL ? 0 : old; /* else a type of object */
  if (new > had) {
    if (b->countdown > 0) b->countdown--;
    if (b->countdown == 0 || (b->left >= 0 && (size_t)b->left < new - had)) {
      b->failed = 1;
      return NULL;
    }
  }
  if (b->left >= 0) b->left += (long)had - (long)new;
  return b->alloc(b->ud, block, old, new);
}

static void init(budget_t *b, lua_Alloc alloc, void *ud) {
  b->alloc = alloc, b->ud = ud, b->countdown = -1, b->left = -1, b->failed = 0;
}

/* What belongs to the state; made at first use, and never freed: the state
   needs it to its very end. */
static budget_t *of(lua_State *L) {
  void *ud;
  lua_Alloc alloc = lua_getallocf(L, &ud);
  budget_t *b;
  if (alloc == limited) return (budget_t *)ud;
  b = (budget_t *)malloc(sizeof *b);
  if (b == NULL) luaL_error(L, "not enough memory");
  init(b, alloc, ud);
  lua_setallocf(L, limited, b);
  return b;
}

static int call(lua_State *L) {
  budget_t *b = of(L);
  long n = (long)luaL_checkinteger(L, 1);
  int status;
  luaL_checkstack(L, 4, NULL);
  b->failed = 0, b->countdown = n;
  status = lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 0);
  b->countdown = -1;
  luaL_checkstack(L, 4, NULL);
  lua_pushboolean(L, b->failed);
  lua_replace(L, 1);
  lua_pushboolean(L, status == 0);
  lua_insert(L, 2);
  return lua_gettop(L);
}

static int limit(lua_State *L) {
  of(L)->left = (long)luaL_checkinteger(L, 1);
  return 0;
}

static void *plain(void *ud, void *block, size_t old, size_t new) {
  (void)ud, (void)old;
  if (new != 0) return realloc(block, new);
  free(block);
  return NULL;
}

static int run(lua_State *L) {
  const char *source = (const char *)lua_touserdata(L, 1);
  if (luaL_loadstring(L, source) != 0) lua_error(L);
  lua_call(L, 0, 0);
  return 0;
}

/* With the n-th allocation failing, but none outside of the protected call. */
static int attempt(lua_State *L, budget_t *b, long n, const char *source) {
  int status;
  lua_settop(L, 2);
  lua_pushvalue(L, 1);
  lua_pushlightuserdata(L, (void *)source);
  b->countdown = n;
  status = lua_pcall(L, 1, 0, 2);
  b->countdown = -1;
  return status;
}

/* Keeps the message as it is; strings only, so that there is one to show. */
static int as_it_is(lua_State *L) {
  return lua_gettop(L);
}

static int state(lua_State *L) {
  long n = (long)luaL_checkinteger(L, 1), m = (long)luaL_checkinteger(L, 2);
  const char *source = luaL_checkstring(L, 3);
  budget_t b;
  lua_State *new;
  char why[500] = "";
  init(&b, plain, NULL);
#if LUA_VERSION_NUM >= 505
  new = lua_newstate(limited, &b, 1);
#else
  new = lua_newstate(limited, &b);
#endif
  if (new == NULL) return luaL_error(L, "lua_newstate");
  luaL_openlibs(new);
  lua_pushcfunction(new, run);
  lua_pushcfunction(new, as_it_is);
  if (attempt(new, &b, n, source) != 0) {
    const char *text = lua_tostring(new, -1);
    if (!b.failed || text == NULL || strstr(text, "not enough memory") == NULL)
      snprintf(why, sizeof why, "at %ld: %s", n, text ? text : "no text");
    else if (attempt(new, &b, -1, source) != 0)
      snprintf(why, sizeof why, "after %ld: %s", n, lua_tostring(new, -1));
  }
  lua_pushboolean(L, b.failed);
  b.failed = 0, b.countdown = m;
  lua_close(new);
  lua_pushboolean(L, b.failed);
  if (why[0] != 0) return luaL_error(L, "%s", why);
  return 2;
}

int luaopen_oom(lua_State *L) {
  /* The allocator is needed after the state has closed its libraries. */
  Dl_info self;
  if (dladdr((const void *)&pinned, &self) == 0 || dlopen(self.dli_fname, RTLD_NOW | RTLD_NODELETE) == NULL)
    return luaL_error(L, "the module cannot be pinned");
  lua_newtable(L);
  lua_pushcfunction(L, call), lua_setfield(L, -2, "call");
  lua_pushcfunction(L, limit), lua_setfield(L, -2, "limit");
  lua_pushcfunction(L, state), lua_setfield(L, -2, "state");
  return 1;
}
