//! To-be-closed lindas: `close_handler` and `__close`.

use std::ffi::c_int;

use lane::raw::pack::SLOTS;
use lane::raw::protect::reserve;
use lane::raw::{flavour, unpack};
use mlua::ffi::{self, lua_State};

use crate::call::{context, raise_fault};
use crate::object::Proxy;

/// Keeps the handler on top with the proxy below it. [-1, +0, m]
///
/// # Safety
/// A proxy and a handler on top; four free stack slots.
pub unsafe fn keep(state: *mut lua_State) {
    // SAFETY: the caller's promise. In a table, because not every flavour has
    // user values of other types.
    unsafe {
        ffi::lua_createtable(state, 1, 0);
        ffi::lua_insert(state, -2);
        flavour::raw_seti(state, -2, 1);
        let proxy = ffi::lua_gettop(state) - 1;
        flavour::set_user_value(state, proxy);
    }
}

/// `__close(linda, error)`: calls the handler with both, if there is one.
///
/// # Safety
/// Called by Lua, with the linda of `proxy` at index 1.
pub unsafe fn close(state: *mut lua_State, proxy: &Proxy) -> c_int {
    // SAFETY: the caller's promise; the message is kept by the linda, which
    // index 1 keeps.
    unsafe {
        ffi::lua_settop(state, 2);
        let Some(message) = &proxy.object.close_handler else {
            return 0;
        };
        flavour::get_user_value(state, 1);
        if ffi::lua_type(state, 3) == ffi::LUA_TTABLE {
            flavour::raw_geti(state, 3, 1);
        } else {
            reserve(state, SLOTS + 8);
            if let Err(fault) = unpack::message(state, context(state), message, false) {
                return raise_fault(state, fault);
            }
            ffi::lua_pushvalue(state, 1);
            ffi::lua_pushvalue(state, -2);
            keep(state);
            ffi::lua_settop(state, -2);
        }
        ffi::lua_pushvalue(state, 1);
        ffi::lua_pushvalue(state, 2);
        ffi::lua_call(state, 2, 0);
        0
    }
}
