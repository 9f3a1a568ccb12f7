//! `lanes.so`: exports the `luaopen_` functions, nothing else.
use mlua::ffi;

/// Entry point of `require "lanes"`.
///
/// # Safety
/// Called by Lua's loader with a valid state.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn luaopen_lanes(state: *mut ffi::lua_State) -> std::ffi::c_int {
    // SAFETY: the loader gives a valid state.
    unsafe { lanes::open(state) }
}
