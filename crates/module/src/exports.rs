// What both variants of the module export.

use std::ffi::c_int;

use mlua::ffi::lua_State;

macro_rules! export {
    ($($name:ident => $open:path),* $(,)?) => {$(
        #[doc = concat!("Entry point of `require`, found by its name: `", stringify!($name), "`.")]
        ///
        /// # Safety
        /// Called by Lua's loader with a valid state.
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $name(state: *mut lua_State) -> c_int {
            // SAFETY: the loader gives a valid state.
            unsafe { $open(state) }
        }
    )*};
}

export! {
    luaopen_lanes => lanes::entry::open,
    luaopen_lanes_core => lanes::entry::open,
    luaopen_lanes_v2 => lanes::entry::open_v2,
    luaopen_lanes_v3 => lanes::entry::open_v3,
    luaopen_lanes_v4 => lanes::entry::open_v4,
}
