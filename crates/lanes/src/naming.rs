//! Lookup names: `lanes.register`, and what `lanes.nameof` needs.

use std::ffi::c_int;

use mlua::ffi::{self, lua_State};

use crate::call::context;

/// `register(name, module)`: makes what the module holds transferable.
pub unsafe extern "C-unwind" fn register(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; nothing is held.
    unsafe {
        let context = context(state);
        ffi::luaL_checktype(state, 1, ffi::LUA_TSTRING);
        ffi::lua_settop(state, 2);
        match ffi::lua_type(state, 2) {
            ffi::LUA_TTABLE | ffi::LUA_TFUNCTION | ffi::LUA_TUSERDATA => {}
            kind => {
                let kind = ffi::lua_typename(state, kind);
                return ffi::luaL_error(state, c"unexpected module type %s".as_ptr(), kind);
            }
        }
        lane::raw::register(state, context);
        0
    }
}

/// `registry()` -> the registry, for our own Lua code
pub unsafe extern "C-unwind" fn registry(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; nothing is held.
    unsafe {
        ffi::lua_pushvalue(state, ffi::LUA_REGISTRYINDEX);
        1
    }
}
