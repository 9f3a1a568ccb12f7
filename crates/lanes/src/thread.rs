//! Priority and processors of the calling thread.

use std::ffi::{CStr, c_int};

use lane::thread::{self, NATIVE, PORTABLE, Priority};
use mlua::ffi::{self, lua_State};

use crate::call::argument_error;

/// The priority that is the number at `index`, on this scale; raises
/// `text: min..+max (n)` if it is out of range. [-0, +0, e]
///
/// # Safety
/// A number at `index`; nothing with a destructor is held.
pub unsafe fn check_priority(
    state: *mut lua_State,
    index: c_int,
    native: bool,
    text: &CStr,
) -> Priority {
    let range = if native { NATIVE } else { PORTABLE };
    // SAFETY: the caller's promise.
    unsafe {
        // Numbers with a fraction are accepted; NaN becomes 0.
        let level = ffi::lua_tonumber(state, index) as i32;
        if !range.contains(&level) {
            ffi::luaL_error(
                state,
                c"%s: %d..+%d (%d)".as_ptr(),
                text.as_ptr(),
                *range.start(),
                *range.end(),
                level,
            );
        }
        if native {
            Priority::Native(level)
        } else {
            Priority::Portable(level)
        }
    }
}

/// Whether the argument at `index` asks for the scale of the system.
unsafe fn native(state: *mut lua_State, index: c_int) -> bool {
    // SAFETY: nothing is held.
    unsafe {
        match ffi::lua_type(state, index) {
            ffi::LUA_TNONE | ffi::LUA_TNIL => false,
            ffi::LUA_TSTRING if lane::raw::pack::bytes_at(state, index) == b"native" => true,
            _ => argument_error(
                state,
                index,
                c"unknown priority mode, only 'native' is known",
            ),
        }
    }
}

/// `set_thread_priority(priority [, "native"])`
pub unsafe extern "C-unwind" fn set_priority(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; nothing is held.
    unsafe {
        ffi::luaL_checknumber(state, 1);
        let native = native(state, 2);
        thread::set_priority(check_priority(state, 1, native, c"priority out of range"));
        0
    }
}

/// `thread_priority_range(["native"])` -> min, max
pub unsafe extern "C-unwind" fn priority_range(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; nothing is held.
    unsafe {
        let range = if native(state, 1) { NATIVE } else { PORTABLE };
        ffi::lua_pushinteger(state, ffi::lua_Integer::from(*range.start()));
        ffi::lua_pushinteger(state, ffi::lua_Integer::from(*range.end()));
        2
    }
}

/// `set_thread_affinity(mask)`
pub unsafe extern "C-unwind" fn set_affinity(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; nothing is held.
    unsafe {
        let mask = ffi::luaL_checkinteger(state, 1);
        if mask <= 0 {
            return ffi::luaL_error(state, c"invalid affinity (%d)".as_ptr(), mask as c_int);
        }
        // A mask without a processor of this machine has no effect.
        thread::set_affinity(mask as u64);
        0
    }
}
