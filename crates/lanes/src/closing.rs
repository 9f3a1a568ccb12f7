//! To-be-closed lindas: `close_handler` and `__close`.

use std::ffi::c_int;

use lane::raw::pack::SLOTS;
use lane::raw::protect::reserve;
use lane::raw::unpack;
use mlua::ffi::{self, lua_State};

use crate::call::{context, push_text, raise_fault};
use crate::object::Proxy;

/// In the registry: the handlers of this state by proxy, whose keys are weak.
static HANDLERS: u8 = 0;

/// Pushes the table of handlers. [-0, +1, m]
unsafe fn push_handlers(state: *mut lua_State) {
    // SAFETY: called with four free stack slots.
    unsafe {
        let key = (&raw const HANDLERS).cast();
        ffi::lua_rawgetp(state, ffi::LUA_REGISTRYINDEX, key);
        if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
            return;
        }
        ffi::lua_settop(state, -2);
        ffi::lua_createtable(state, 0, 1);
        ffi::lua_createtable(state, 0, 1);
        push_text(state, "k");
        ffi::lua_setfield(state, -2, c"__mode".as_ptr());
        ffi::lua_setmetatable(state, -2);
        ffi::lua_pushvalue(state, -1);
        ffi::lua_rawsetp(state, ffi::LUA_REGISTRYINDEX, key);
    }
}

/// Keeps the handler on top with the proxy below it. [-1, +0, m]
///
/// # Safety
/// A proxy and a handler on top; six free stack slots.
pub unsafe fn keep(state: *mut lua_State) {
    // SAFETY: the caller's promise.
    unsafe {
        push_handlers(state);
        ffi::lua_pushvalue(state, -3);
        ffi::lua_pushvalue(state, -3);
        ffi::lua_rawset(state, -3);
        ffi::lua_settop(state, -3);
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
        push_handlers(state);
        ffi::lua_pushvalue(state, 1);
        ffi::lua_rawget(state, -2);
        if ffi::lua_type(state, -1) == ffi::LUA_TNIL {
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
