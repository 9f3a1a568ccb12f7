/*
 * lanes.h - shared objects of C modules for rlanes.
 *
 * A C module can offer objects that all lanes share: a deep userdata. Every
 * Lua state that holds the object has one proxy userdata for it, so that ==
 * works within a state; the object is destroyed when no proxy and no message
 * refers to it any more. Objects that are copied rather than shared need no
 * header: give their metatable a field __lanesclone (see the manual).
 *
 * The header stands alone. A module that uses it links against nothing: it
 * finds the functions at run time, in a Lua state that has loaded lanes or that
 * belongs to a lane. A complete example is tests/native/counter.c.
 */
#ifndef LANES_H
#define LANES_H

#include <lua.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Grows when the layout below changes. Older modules go on working as long as
   they find the number that they were built with. */
#define LANES_ABI 1

/* A type of shared objects. Must stay where it is as long as the process runs:
   make it static. Its address identifies the type. */
typedef struct lanes_type {
  unsigned abi;        /* LANES_ABI */
  const char *name;    /* for messages */
  const char *module;  /* the module to be required in a state before the first
                          proxy is made there, or NULL */
  unsigned user_values; /* how many user values a proxy has (Lua 5.4 and later;
                          one before): they travel to states without a proxy */

  /* Frees the object. Called once, on any thread, in no Lua state. */
  void (*destroy)(void *object);

  /* Pushes a new table, the metatable of the proxies in this state. Called once
     per state. The fields __gc and __metatable are set by lanes. May raise. */
  void (*metatable)(lua_State *L);
} lanes_type;

typedef struct lanes_api {
  unsigned abi; /* the newest that is supported */

  /* Pushes the proxy of a new object and takes the object over: it will be
     destroyed by its type, also when this raises for want of memory. The object
     must be fit for use by several threads at a time. [-0, +1, e] */
  void (*push)(lua_State *L, const lanes_type *type, void *object);

  /* The object behind the proxy at this index, or NULL if it is not one of this
     type. It lives at least as long as the proxy. [-0, +0, -] */
  void *(*get)(lua_State *L, int index, const lanes_type *type);

  /* How many proxies and messages refer to the object behind the proxy at this
     index, or 0 if it is not one of this type. [-0, +0, -] */
  size_t (*references)(lua_State *L, int index, const lanes_type *type);
} lanes_api;

/* The functions, or NULL if lanes is not loaded in this state or too old.
   [-0, +0, m] */
static const lanes_api *lanes_api_of(lua_State *L) {
  const lanes_api *api;
  lua_getfield(L, LUA_REGISTRYINDEX, "lanes.api");
  api = (const lanes_api *)lua_touserdata(L, -1);
  lua_pop(L, 1);
  return api != NULL && api->abi >= LANES_ABI ? api : NULL;
}

#ifdef __cplusplus
}
#endif

#endif
