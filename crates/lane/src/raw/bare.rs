//! Calls of a C function in states of their own, made for it and closed again.

use std::ffi::{CStr, c_int, c_void};

use mlua::ffi::{self, lua_State};

use super::flavour;
use super::state::{Owned, error_text};

struct Call {
    function: ffi::lua_CFunction,
    argument: *const std::ffi::c_char,
    all: bool,
}

/// Calls `function` with a string in a fresh state that has the package
/// library only, or all standard libraries. Fails with the text of its error.
///
/// # Safety
/// `function` may be called in any state.
pub unsafe fn call_in_fresh_state(
    function: ffi::lua_CFunction,
    argument: &'static CStr,
    all: bool,
) -> Result<(), String> {
    // SAFETY: the state is ours; whatever raises runs protected.
    unsafe {
        let state = ffi::luaL_newstate();
        if state.is_null() {
            return Err("not enough memory for a Lua state".to_owned());
        }
        let owned = Owned::new(state);
        let mut call = Call {
            function,
            argument: argument.as_ptr(),
            all,
        };
        if flavour::bootstrap(state, body, (&raw mut call).cast::<c_void>()) != ffi::LUA_OK {
            return Err(error_text(owned.get()));
        }
        Ok(())
    }
}

/// `(call) -> ()` [e]
unsafe extern "C-unwind" fn body(state: *mut lua_State) -> c_int {
    // SAFETY: index 1 is the structure above; nothing here owns a value with a
    // destructor.
    unsafe {
        let call = &*ffi::lua_touserdata(state, 1).cast::<Call>();
        if call.all {
            ffi::luaL_openlibs(state);
        } else {
            ffi::luaL_requiref(state, c"package".as_ptr(), ffi::luaopen_package, 1);
        }
        ffi::lua_settop(state, 0);
        ffi::lua_pushcfunction(state, call.function);
        ffi::lua_pushstring(state, call.argument);
        ffi::lua_call(state, 1, 0);
        0
    }
}
