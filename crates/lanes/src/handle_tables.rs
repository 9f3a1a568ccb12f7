//! What a state knows of its handles: all of them, and what to call when one
//! is collected.

use std::ffi::c_void;

use mlua::ffi::{self, lua_State};

use crate::call::push_text;
use crate::handle::Handle;

/// In the registry: all handles of the state, weak.
static HANDLES: u8 = 0;
/// In the registry: what to call when a handle is collected, by its address.
static CALLBACKS: u8 = 0;

/// Pushes a table of the registry, made at first use; `mode` makes its keys
/// weak. [-0, +1, m]
unsafe fn push_registered(state: *mut lua_State, key: &'static u8, weak: bool) {
    // SAFETY: four free stack slots; nothing is held.
    unsafe {
        let key = std::ptr::from_ref(key).cast::<c_void>();
        ffi::lua_rawgetp(state, ffi::LUA_REGISTRYINDEX, key);
        if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
            return;
        }
        ffi::lua_settop(state, -2);
        ffi::lua_createtable(state, 0, 4);
        if weak {
            ffi::lua_createtable(state, 0, 1);
            push_text(state, "k");
            ffi::lua_setfield(state, -2, c"__mode".as_ptr());
            ffi::lua_setmetatable(state, -2);
        }
        ffi::lua_pushvalue(state, -1);
        ffi::lua_rawsetp(state, ffi::LUA_REGISTRYINDEX, key);
    }
}

/// Remembers the handle on top, so that `lanes.threads` finds it. [-0, +0, m]
///
/// # Safety
/// A handle on top; six free stack slots; nothing is held.
pub unsafe fn remember(state: *mut lua_State) {
    // SAFETY: the caller's promise.
    unsafe {
        push_registered(state, &HANDLES, true);
        ffi::lua_pushvalue(state, -2);
        ffi::lua_pushboolean(state, 1);
        ffi::lua_rawset(state, -3);
        ffi::lua_settop(state, -2);
    }
}

/// Pushes a table of the handles of this state by the number of their lanes.
/// [-0, +1, m]
///
/// # Safety
/// Six free stack slots; nothing is held.
pub unsafe fn push_by_lane(state: *mut lua_State) {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::lua_createtable(state, 0, 4);
        let table = ffi::lua_gettop(state);
        push_registered(state, &HANDLES, true);
        ffi::lua_pushnil(state);
        while ffi::lua_next(state, table + 1) != 0 {
            ffi::lua_settop(state, table + 2);
            let handle = ffi::lua_touserdata(state, table + 2).cast::<Handle>();
            if let Some(lane) = &(*handle).lane {
                ffi::lua_pushnumber(state, lane.id() as ffi::lua_Number);
                ffi::lua_pushvalue(state, table + 2);
                ffi::lua_rawset(state, table);
            }
        }
        ffi::lua_settop(state, table);
    }
}

/// Has the function on top called when the handle below it is collected.
/// [-1, +0, m]
///
/// # Safety
/// A handle and a function on top; six free stack slots; nothing is held.
pub unsafe fn on_collect(state: *mut lua_State) {
    // SAFETY: the caller's promise.
    unsafe {
        let handle = ffi::lua_touserdata(state, -2);
        push_registered(state, &CALLBACKS, false);
        ffi::lua_insert(state, -2);
        ffi::lua_rawsetp(state, -2, handle);
        ffi::lua_settop(state, -2);
    }
}

/// Pushes the function for the handle at this address, and the table that it
/// is in below it; nothing if there is none. [-0, +(0|2), -]
///
/// # Safety
/// Two free stack slots.
pub unsafe fn push_callback(state: *mut lua_State, handle: *const c_void) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let top = ffi::lua_gettop(state);
        ffi::lua_rawgetp(state, ffi::LUA_REGISTRYINDEX, (&raw const CALLBACKS).cast());
        if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
            ffi::lua_rawgetp(state, -1, handle);
            if ffi::lua_type(state, -1) == ffi::LUA_TFUNCTION {
                return true;
            }
        }
        ffi::lua_settop(state, top);
        false
    }
}
