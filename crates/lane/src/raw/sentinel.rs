//! The sentinels: light userdata with one fixed address in every state.

use std::ffi::c_void;

use mlua::ffi::{self, lua_State};

// Their values are the reference's own (cut to the 47 bits that LuaJIT allows),
// because a program can see them printed.
const CANCEL_ERROR: usize = 0x0630_345F_EF91_2746 & 0x7FFF_FFFF_FFFF;
const NULL: usize = 0x0305_2F71_B3C1_4A2E & 0x7FFF_FFFF_FFFF;

/// The address of `lanes.cancel_error`.
pub fn cancel_error() -> *mut c_void {
    std::ptr::without_provenance_mut(CANCEL_ERROR)
}

/// The address of `lanes.null`.
pub fn null() -> *mut c_void {
    std::ptr::without_provenance_mut(NULL)
}

/// Whether a light userdata is `lanes.null`.
#[inline]
pub fn is_null(pointer: *mut c_void) -> bool {
    pointer.addr() == NULL
}

/// Whether the value at `index` is `lanes.cancel_error`. [-0, +0, -]
///
/// # Safety
/// `state` must be valid.
pub unsafe fn is_cancel_error(state: *mut lua_State, index: std::ffi::c_int) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::lua_type(state, index) == ffi::LUA_TLIGHTUSERDATA
            && ffi::lua_touserdata(state, index).addr() == CANCEL_ERROR
    }
}
