//! The Lua-facing interface.
use mlua::ffi;

/// Opens the module: pushes the module table. [-0, +1, e]
///
/// # Safety
/// `state` must be a valid Lua state.
pub unsafe extern "C-unwind" fn open(state: *mut ffi::lua_State) -> std::ffi::c_int {
    // SAFETY: the caller gives a valid state.
    unsafe { ffi::lua_createtable(state, 0, 0) };
    1
}
