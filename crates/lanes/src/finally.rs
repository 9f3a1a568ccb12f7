//! `lanes.finally`: the last function that runs in a master state.

use std::ffi::c_int;
use std::time::Duration;

use lane::raw::context::guard;
use lane::raw::pack::bytes_at;
use mlua::ffi::{self, lua_State};

use crate::call::{argument_error, context, error, push_text};

/// In the registry: the function.
static FINALLY: u8 = 0;

/// `finally(f or nil)`
pub unsafe extern "C-unwind" fn set(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; nothing is held.
    unsafe {
        let context = context(state);
        if context.lane().is_some() {
            error(state, c"lanes.finally called from inside a lane");
        }
        if ffi::lua_gettop(state) > 1 {
            error(state, c"too many arguments");
        }
        if ffi::lua_type(state, 1) > ffi::LUA_TNIL && ffi::lua_type(state, 1) != ffi::LUA_TFUNCTION
        {
            argument_error(state, 1, c"finalizer should be a function");
        }
        ffi::lua_settop(state, 1);
        ffi::lua_rawsetp(state, ffi::LUA_REGISTRYINDEX, (&raw const FINALLY).cast());
        guard(state, context);
        0
    }
}

/// Runs the function; the lanes of the universe have ended, or not. If not,
/// raises what the function answers. [-0, +0, e]
///
/// # Safety
/// In a master state that is closing; a few free stack slots.
pub unsafe fn run(state: *mut lua_State, ended: bool) {
    // SAFETY: the caller's promise; nothing is held.
    unsafe {
        ffi::lua_rawgetp(state, ffi::LUA_REGISTRYINDEX, (&raw const FINALLY).cast());
        if ffi::lua_type(state, -1) == ffi::LUA_TFUNCTION {
            ffi::lua_pushboolean(state, c_int::from(ended));
            ffi::lua_call(state, 1, 1);
        }
        if ended {
            return;
        }
        if ffi::lua_type(state, -1) != ffi::LUA_TSTRING {
            push_text(state, "uncooperative lanes detected at shutdown");
        } else if bytes_at(state, -1) == b"freeze" {
            // So that a debugger finds everything in place.
            loop {
                std::thread::sleep(Duration::from_secs(3600));
            }
        }
        ffi::lua_error(state);
    }
}
