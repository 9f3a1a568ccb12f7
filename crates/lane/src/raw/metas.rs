//! Metatables keep their identity: each gets a number, unique in its universe,
//! when it first travels, and a state that has a copy (or the original) under
//! that number uses it again.
//!
//! The registry holds one table with both directions, metatable to number and
//! number to metatable, weak in keys and values: a metatable that nothing uses
//! any more is forgotten.

use std::ffi::{c_int, c_void};

use mlua::ffi::{self, lua_State};

use super::context::Context;
use super::protect::undisturbed;

static METAS: u8 = 0;

/// Makes the table of metatables. [-0, +0, m]
///
/// # Safety
/// `state` must be valid, with four free stack slots.
pub unsafe fn install(state: *mut lua_State) {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::lua_createtable(state, 0, 0);
        ffi::lua_createtable(state, 0, 1);
        super::flavour::push_bytes(state, b"kv");
        ffi::lua_setfield(state, -2, c"__mode".as_ptr());
        ffi::lua_setmetatable(state, -2);
        ffi::lua_rawsetp(state, ffi::LUA_REGISTRYINDEX, (&raw const METAS).cast());
    }
}

unsafe fn push(state: *mut lua_State) {
    // SAFETY: one free stack slot; a light key does not raise.
    unsafe {
        ffi::lua_rawgetp(state, ffi::LUA_REGISTRYINDEX, (&raw const METAS).cast());
    }
}

/// The number of the metatable at `index`, given now if it has none. Nothing
/// for want of memory. [-0, +0, -]
///
/// # Safety
/// A table at `index`, which is absolute; six free stack slots.
pub unsafe fn identity(state: *mut lua_State, context: &Context, index: c_int) -> Option<u64> {
    // SAFETY: the caller's promise; reading does not raise.
    unsafe {
        let top = ffi::lua_gettop(state);
        push(state);
        ffi::lua_pushvalue(state, index);
        ffi::lua_rawget(state, top + 1);
        let known = ffi::lua_tonumber(state, -1) as u64;
        ffi::lua_settop(state, top);
        if known != 0 {
            return Some(known);
        }
        let mut number = context.universe().next_identity();
        ffi::lua_pushvalue(state, index);
        let status = undisturbed(state, 1, 0, remember, (&raw mut number).cast());
        ffi::lua_settop(state, top);
        (status == ffi::LUA_OK).then_some(number)
    }
}

/// `(metatable) -> ()` [m]
unsafe fn remember(state: *mut lua_State, data: *mut c_void) -> c_int {
    // SAFETY: `data` is the number that `identity` passes.
    unsafe {
        set(state, 1, *data.cast());
        0
    }
}

/// Files the table at `index` under a number. [-0, +0, m]
///
/// # Safety
/// A table at `index`, which is absolute; four free stack slots.
pub unsafe fn set(state: *mut lua_State, index: c_int, number: u64) {
    // SAFETY: the caller's promise.
    unsafe {
        push(state);
        ffi::lua_pushvalue(state, index);
        // A float is exact far beyond any number of metatables.
        ffi::lua_pushnumber(state, number as ffi::lua_Number);
        ffi::lua_rawset(state, -3);
        ffi::lua_pushnumber(state, number as ffi::lua_Number);
        ffi::lua_pushvalue(state, index);
        ffi::lua_rawset(state, -3);
        ffi::lua_settop(state, -2);
    }
}

/// Pushes the metatable with this number, or nil. [-0, +1, -]
///
/// # Safety
/// Two free stack slots.
pub unsafe fn get(state: *mut lua_State, number: u64) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        push(state);
        ffi::lua_pushnumber(state, number as ffi::lua_Number);
        ffi::lua_rawget(state, -2);
        ffi::lua_remove(state, -2);
        ffi::lua_type(state, -1) == ffi::LUA_TTABLE
    }
}
