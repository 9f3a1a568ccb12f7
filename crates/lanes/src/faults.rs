//! `require "lanes.faults"`, in builds for tests only: panics on demand.

use std::ffi::c_int;

use lane::raw::faults;
use mlua::ffi::{self, lua_State};

use crate::call::push_text;

/// `arm(n)`: the n-th point that this thread passes panics.
unsafe extern "C-unwind" fn arm(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; nothing is held.
    unsafe { faults::arm(ffi::luaL_checkinteger(state, 1) as u64) };
    0
}

/// `arm_elsewhere(n)`: the n-th point that other threads pass panics.
unsafe extern "C-unwind" fn arm_elsewhere(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; nothing is held.
    unsafe { faults::arm_elsewhere(ffi::luaL_checkinteger(state, 1) as u64) };
    0
}

/// `disarm()` -> where a point has panicked, or nil
unsafe extern "C-unwind" fn disarm(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; nothing is held.
    unsafe {
        match faults::disarm() {
            Some(place) => push_text(state, place),
            None => ffi::lua_pushnil(state),
        }
    }
    1
}

/// `luaopen_lanes_faults`: pushes the table of these functions. [-0, +1, e]
///
/// # Safety
/// Called by Lua, with a valid state.
pub unsafe extern "C-unwind" fn open(state: *mut lua_State) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::lua_createtable(state, 0, 3);
        let functions: [(_, ffi::lua_CFunction); 3] = [
            (c"arm", arm),
            (c"arm_elsewhere", arm_elsewhere),
            (c"disarm", disarm),
        ];
        for (name, function) in functions {
            ffi::lua_pushcfunction(state, function);
            ffi::lua_setfield(state, -2, name.as_ptr());
        }
    }
    1
}
