/* A host program: several Lua states in one process, each with a universe of
   its own, which use lanes and are closed in any order, on any thread.

   host SCRIPT MODE COUNT

   runs SCRIPT in each state it opens, with the state's number as argument. The
   script returns a function that uses lanes and lindas and checks the results;
   the host calls it again and again while other states come and go. The modes
   are the functions at the end. Prints "ok" when all went well.

   LUA_PATH and LUA_CPATH say where the modules are, as for the interpreters. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#define STATES 4

static const char *script;
/* What loads the module, when the host and not `require` does that. */
static lua_CFunction opener;

static void fail(const char *what, const char *why) {
  fprintf(stderr, "host: %s: %s\n", what, why ? why : "?");
  exit(1);
}

static void check(lua_State *L, int status, const char *what) {
  if (status != 0) fail(what, lua_tostring(L, -1));
}

static void use(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, "use");
  check(L, lua_pcall(L, 0, 0, 0), "use");
}

static lua_State *open(int number) {
  lua_State *L = luaL_newstate();
  if (L == NULL) fail("luaL_newstate", "not enough memory");
  luaL_openlibs(L);
  if (opener != NULL) {
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "preload");
    lua_pushcfunction(L, opener);
    lua_setfield(L, -2, "lanes");
    lua_settop(L, 0);
  }
  check(L, luaL_loadfile(L, script), "load");
  lua_pushinteger(L, number);
  check(L, lua_pcall(L, 1, 1, 0), "run");
  lua_setfield(L, LUA_REGISTRYINDEX, "use");
  return L;
}

/* Whether `order` was turned into the next permutation, in lexical order. */
static int next(int *order) {
  int i = STATES - 2, j = STATES - 1, t;
  while (i >= 0 && order[i] > order[i + 1]) i--;
  if (i < 0) return 0;
  while (order[j] < order[i]) j--;
  t = order[i], order[i] = order[j], order[j] = t;
  for (i++, j = STATES - 1; i < j; i++, j--) t = order[i], order[i] = order[j], order[j] = t;
  return 1;
}

/* COUNT times four states, closed in all their orders in turn; those that are
   left are used after each closing. */
static void orders(int count) {
  int order[STATES] = {0, 1, 2, 3};
  for (int round = 0; round < count; round++) {
    lua_State *states[STATES];
    for (int i = 0; i < STATES; i++) states[i] = open(i + 1);
    for (int i = 0; i < STATES; i++) use(states[i]);
    for (int i = 0; i < STATES; i++) {
      lua_close(states[order[i]]);
      states[order[i]] = NULL;
      for (int j = 0; j < STATES; j++)
        if (states[j] != NULL) use(states[j]);
    }
    if (!next(order))
      for (int i = 0; i < STATES; i++) order[i] = i;
  }
}

static int stop;

static void *keep_using(void *argument) {
  lua_State *L = open(*(int *)argument);
  while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) use(L);
  use(L);
  lua_close(L);
  return NULL;
}

static void start(pthread_t *thread, void *(*body)(void *), void *argument) {
  if (pthread_create(thread, NULL, body, argument) != 0) fail("pthread_create", "refused");
}

/* COUNT states come and go while another is used on a thread of the host's. */
static void beside(int count) {
  pthread_t thread;
  int number = 1;
  start(&thread, keep_using, &number);
  for (int round = 0; round < count; round++) {
    lua_State *L = open(2);
    use(L);
    lua_close(L);
  }
  __atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
  pthread_join(thread, NULL);
}

static void *come_and_go(void *argument) {
  for (int round = 0; round < *(int *)argument; round++) {
    lua_State *L = open(round % STATES + 1);
    use(L);
    lua_close(L);
  }
  return NULL;
}

/* Four threads, each of which opens, uses and closes COUNT states. */
static void together(int count) {
  pthread_t threads[STATES];
  for (int i = 0; i < STATES; i++) start(&threads[i], come_and_go, &count);
  for (int i = 0; i < STATES; i++) pthread_join(threads[i], NULL);
}

static void *open_here(void *argument) {
  *(lua_State **)argument = open(1);
  return NULL;
}

static void *use_here(void *argument) {
  use(*(lua_State **)argument);
  return NULL;
}

static void *close_here(void *argument) {
  lua_close(*(lua_State **)argument);
  return NULL;
}

/* COUNT states, each made, used and closed by threads that end after it. */
static void threads(int count) {
  static void *(*const steps[])(void *) = {open_here, use_here, close_here};
  for (int round = 0; round < count; round++) {
    lua_State *L = NULL;
    for (int step = 0; step < 3; step++) {
      pthread_t thread;
      start(&thread, steps[step], &L);
      pthread_join(thread, NULL);
      if (step == 1) use(L);
    }
  }
}

/* COUNT times: the library loaded by the host, used in two states, closed,
   unloaded. */
static void reload(int count) {
  for (int round = 0; round < count; round++) {
    const char *path = getenv("LANES_LIBRARY");
    void *library = dlopen(path ? path : "", RTLD_NOW | RTLD_LOCAL);
    lua_State *first, *second;
    if (library == NULL) fail("dlopen", dlerror());
    *(void **)&opener = dlsym(library, "luaopen_lanes");
    if (opener == NULL) fail("dlsym", dlerror());
    first = open(1), second = open(2);
    use(first), use(second);
    lua_close(round % 2 ? first : second);
    use(round % 2 ? second : first);
    lua_close(round % 2 ? second : first);
    opener = NULL;
    if (dlclose(library) != 0) fail("dlclose", dlerror());
  }
}

/* The program ends with all states open; COUNT is its status. */
static void leave(int count) {
  pthread_t thread;
  int number = 3;
  start(&thread, keep_using, &number);
  for (int i = 0; i < STATES; i++) use(open(i + 1));
  puts("ok");
  exit(count);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(int);
  } modes[] = {{"orders", orders},   {"beside", beside}, {"together", together},
               {"threads", threads}, {"reload", reload}, {"leave", leave}};
  if (argc != 4) fail("usage", "host SCRIPT MODE COUNT");
  script = argv[1];
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    if (strcmp(argv[2], modes[i].name) != 0) continue;
    modes[i].run(atoi(argv[3]));
    puts("ok");
    return 0;
  }
  fail(argv[2], "no such mode");
  return 1;
}
