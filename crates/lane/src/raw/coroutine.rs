//! `coroutine.resume` and `coroutine.wrap` of lanes: as the interpreter's, but
//! hooks that cancel the lane reach the coroutine (see [`hook`](super::hook)).
//!
//! LuaJIT has one set of hooks for all coroutines of a state, so its own
//! functions stay.

use std::ffi::c_int;

use mlua::ffi::{self, lua_State};

use super::{flavour, hook};

/// Puts the functions into the coroutine library of a lane's state, if it has
/// one. [-0, +0, m]
///
/// # Safety
/// Four free stack slots.
pub unsafe fn install(state: *mut lua_State) {
    if flavour::JIT {
        return;
    }
    // SAFETY: the caller's promise.
    unsafe {
        let top = ffi::lua_gettop(state);
        ffi::lua_pushstring(state, c"_LOADED".as_ptr());
        ffi::lua_rawget(state, ffi::LUA_REGISTRYINDEX);
        if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
            ffi::lua_pushstring(state, c"coroutine".as_ptr());
            ffi::lua_rawget(state, -2);
            if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
                ffi::lua_pushcfunction(state, resume);
                ffi::lua_setfield(state, -2, c"resume".as_ptr());
                ffi::lua_pushcfunction(state, wrap);
                ffi::lua_setfield(state, -2, c"wrap".as_ptr());
            }
        }
        ffi::lua_settop(state, top);
    }
}

/// Resumes the coroutine with the `arguments` values on top of `state`. Leaves
/// its results there and answers their number, or leaves the error value and
/// answers -1. [-arguments, +n, m]
unsafe fn run(state: *mut lua_State, coroutine: *mut lua_State, arguments: c_int) -> c_int {
    // SAFETY: the coroutine is anchored in `state`'s stack or upvalues. Moving
    // values between the two and resuming do not raise.
    unsafe {
        if ffi::lua_checkstack(coroutine, arguments + 1) == 0 {
            ffi::lua_settop(state, -arguments - 1);
            flavour::push_bytes(state, b"too many arguments to resume");
            return -1;
        }
        if let Some(text) = refusal(state, coroutine) {
            ffi::lua_settop(state, -arguments - 1);
            flavour::push_bytes(state, text);
            return -1;
        }
        ffi::lua_xmove(state, coroutine, arguments);
        flavour::set_level(state, coroutine);
        let mut results = 0;
        let status = hook::entered(coroutine, || {
            ffi::lua_resume(coroutine, state, arguments, &raw mut results)
        });
        if status != ffi::LUA_OK && status != ffi::LUA_YIELD {
            ffi::lua_xmove(coroutine, state, 1);
            return -1;
        }
        if ffi::lua_checkstack(state, results + 1) == 0 {
            ffi::lua_settop(coroutine, -results - 1);
            flavour::push_bytes(state, b"too many results to resume");
            return -1;
        }
        ffi::lua_xmove(coroutine, state, results);
        results
    }
}

/// Why the coroutine cannot be resumed, as the interpreter says it; nothing if
/// it can.
unsafe fn refusal(state: *mut lua_State, coroutine: *mut lua_State) -> Option<&'static [u8]> {
    // SAFETY: both are valid; the structure is ours.
    unsafe {
        let mut info: ffi::lua_Debug = std::mem::zeroed();
        let running = state == coroutine;
        match ffi::lua_status(coroutine) {
            ffi::LUA_YIELD => None,
            ffi::LUA_OK if running || ffi::lua_getstack(coroutine, 0, &raw mut info) != 0 => {
                Some(if cfg!(feature = "lua51") {
                    if running {
                        b"cannot resume running coroutine"
                    } else {
                        b"cannot resume normal coroutine"
                    }
                } else {
                    b"cannot resume non-suspended coroutine"
                })
            }
            ffi::LUA_OK if ffi::lua_gettop(coroutine) > 0 => None,
            _ => Some(b"cannot resume dead coroutine"),
        }
    }
}

/// `coroutine.resume(co, ...)`
unsafe extern "C-unwind" fn resume(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; nothing is held.
    unsafe {
        let coroutine = ffi::lua_tothread(state, 1);
        if coroutine.is_null() {
            return ffi::luaL_argerror(state, 1, c"coroutine expected".as_ptr());
        }
        let results = run(state, coroutine, ffi::lua_gettop(state) - 1);
        let count = if results < 0 { 1 } else { results };
        ffi::lua_pushboolean(state, c_int::from(results >= 0));
        ffi::lua_insert(state, -count - 1);
        count + 1
    }
}

/// `coroutine.wrap(f)`
unsafe extern "C-unwind" fn wrap(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; nothing is held.
    unsafe {
        ffi::luaL_checktype(state, 1, ffi::LUA_TFUNCTION);
        if cfg!(feature = "lua51") && ffi::lua_iscfunction(state, 1) != 0 {
            return ffi::luaL_argerror(state, 1, c"Lua function expected".as_ptr());
        }
        let coroutine = ffi::lua_newthread(state);
        ffi::lua_pushvalue(state, 1);
        ffi::lua_xmove(state, coroutine, 1);
        ffi::lua_pushcclosure(state, wrapped, 1);
        1
    }
}

/// What `wrap` returns: the coroutine is its upvalue.
unsafe extern "C-unwind" fn wrapped(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; nothing is held.
    unsafe {
        let coroutine = ffi::lua_tothread(state, ffi::lua_upvalueindex(1));
        let results = run(state, coroutine, ffi::lua_gettop(state));
        if results >= 0 {
            return results;
        }
        // It may also have been refused, and then it may be the very one that
        // runs: only one that has failed is closed.
        let status = ffi::lua_status(coroutine);
        if status != ffi::LUA_OK && status != ffi::LUA_YIELD {
            flavour::close_failed(state, coroutine);
        }
        if ffi::lua_type(state, -1) == ffi::LUA_TSTRING {
            ffi::luaL_where(state, 1);
            ffi::lua_insert(state, -2);
            ffi::lua_concat(state, 2);
        }
        ffi::lua_error(state)
    }
}
