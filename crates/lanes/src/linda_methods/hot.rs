//! Lindas that are used much: 4.x finds their methods in a table, too.
//!
//! In 4.x `linda.status` is a field and an unknown field is an error, so
//! `__index` has to be a function that is told which linda is meant, and each
//! method call costs a second call to look the method up. A linda that was
//! called often enough gets a metatable of its own, in which `__index` is a
//! table of the methods; what is not in it goes to a function that knows this
//! one linda. (Measured: a seventh less work per message on 5.4.)
//!
//! LuaJIT has `fast.rs` instead.

use std::ffi::{c_int, c_void};

use lane::raw::protect::undisturbed;
use mlua::ffi::{self, lua_State};

use super::face::index;
use crate::call::push_function;

/// Gives the linda at index 1 a metatable of its own. To be called from one of
/// its methods. Failure leaves things as they are. [-0, +0, -]
///
/// # Safety
/// The second upvalue is the metatable; nothing with a destructor is held.
#[cold]
pub(super) unsafe fn install(state: *mut lua_State) {
    // SAFETY: the caller's promise.
    unsafe {
        if ffi::lua_checkstack(state, 12) == 0 {
            return;
        }
        let top = ffi::lua_gettop(state);
        ffi::lua_pushvalue(state, 1);
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(2));
        undisturbed(state, 2, 0, install_protected, std::ptr::null_mut());
        ffi::lua_settop(state, top);
    }
}

/// `(linda, metatable) -> ()` [e]
unsafe fn install_protected(state: *mut lua_State, _: *mut c_void) -> c_int {
    // SAFETY: nothing is held.
    unsafe {
        // Not those of a linda that has one, or another one, already.
        if ffi::lua_getmetatable(state, 1) == 0 || ffi::lua_rawequal(state, 2, 3) == 0 {
            return 0;
        }
        ffi::lua_settop(state, 2);
        copy(state, 2); // 3
        ffi::lua_getfield(state, 2, c"__index".as_ptr()); // 4
        if ffi::lua_getupvalue(state, 4, 3).is_null() {
            return 0;
        }
        // 5: the methods that all share.
        copy(state, 5); // 6
        ffi::lua_createtable(state, 0, 1); // 7
        ffi::lua_pushvalue(state, 1);
        ffi::lua_pushvalue(state, 5);
        push_function(state, missing, 2);
        ffi::lua_setfield(state, 7, c"__index".as_ptr());
        ffi::lua_setmetatable(state, 6);
        ffi::lua_setfield(state, 3, c"__index".as_ptr());
        ffi::lua_settop(state, 3);
        ffi::lua_setmetatable(state, 1);
        0
    }
}

/// Pushes a copy of the table at `table`. [-0, +1, e]
unsafe fn copy(state: *mut lua_State, table: c_int) {
    // SAFETY: a table at `table`, which nobody changes meanwhile.
    unsafe {
        ffi::lua_createtable(state, 0, 16);
        let to = ffi::lua_gettop(state);
        ffi::lua_pushnil(state);
        while ffi::lua_next(state, table) != 0 {
            ffi::lua_pushvalue(state, to + 1);
            ffi::lua_insert(state, to + 2);
            ffi::lua_rawset(state, to);
        }
    }
}

/// `__index` of the methods of one linda, which is the second upvalue: they
/// have no such field.
unsafe extern "C-unwind" fn missing(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this with the table and the key; `index` has the same
    // upvalues but for the second, which it does not use.
    unsafe {
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(2));
        ffi::lua_replace(state, 1);
        index(state)
    }
}
