//! What a linda looks like, and the methods that concern all of it: `cancel`,
//! `wake`, `deep`, metamethods.

use std::ffi::{CStr, c_int};
use std::sync::Arc;

use lane::raw::{flavour, pack};
use linda::{Hint, Status};
use mlua::ffi::{self, lua_State};

use super::{both, generation, this};
use crate::args::check_key;
use crate::call::{error, push_text, raise, work};
use crate::object::{Proxy, proxy_at};

/// The hint at `index`. [-0, +0, e]
unsafe fn hint(state: *mut lua_State, index: c_int, with_none: bool) -> Hint {
    // SAFETY: nothing is held.
    unsafe {
        if ffi::lua_type(state, index) <= ffi::LUA_TNIL {
            return Hint::Both;
        }
        let word = ffi::luaL_checkstring(state, index);
        match CStr::from_ptr(word).to_bytes() {
            b"both" => Hint::Both,
            b"read" => Hint::Read,
            b"write" => Hint::Write,
            b"none" if with_none => Hint::None,
            _ => {
                ffi::luaL_error(state, c"unknown wake hint '%s'".as_ptr(), word);
                unreachable!("luaL_error does not return")
            }
        }
    }
}

pub(super) unsafe extern "C-unwind" fn cancel<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; see `call` for the three parts.
    unsafe {
        let (context, proxy) = both::<G>(state);
        if ffi::lua_gettop(state) > 2 {
            error(state, c"wrong number of arguments");
        }
        let hint = hint(state, 2, true);
        match work(|| {
            proxy.object.core.cancel(hint);
            Ok(())
        }) {
            Ok(()) => 0,
            Err(why) => raise(state, context, why),
        }
    }
}

pub(super) unsafe extern "C-unwind" fn wake<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; see `call` for the three parts.
    unsafe {
        let (context, proxy) = both::<G>(state);
        if ffi::lua_gettop(state) > 2 {
            error(state, c"wrong number of arguments");
        }
        let hint = hint(state, 2, false);
        match work(|| {
            proxy.object.core.wake(hint);
            Ok(())
        }) {
            Ok(()) => 0,
            Err(why) => raise(state, context, why),
        }
    }
}

pub(super) unsafe extern "C-unwind" fn deep<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this.
    unsafe {
        let proxy = this::<G>(state);
        ffi::lua_pushlightuserdata(state, address(proxy));
        1
    }
}

pub(super) unsafe extern "C-unwind" fn close<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this.
    unsafe {
        let proxy = this::<G>(state);
        crate::closing::close(state, proxy)
    }
}

pub(super) unsafe extern "C-unwind" fn atomic_add<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this.
    unsafe {
        let proxy = this::<G>(state);
        check_key(state, generation::<G>(), 2);
        crate::atomic::add(state, proxy)
    }
}

fn address(proxy: &Proxy) -> *mut std::ffi::c_void {
    Arc::as_ptr(&proxy.object)
        .cast::<std::ffi::c_void>()
        .cast_mut()
}

pub(super) unsafe extern "C-unwind" fn collect_garbage<const G: u8>(
    state: *mut lua_State,
) -> c_int {
    // SAFETY: Lua calls this. There is no hidden storage to collect.
    unsafe {
        this::<G>(state);
        if ffi::lua_gettop(state) > 1 {
            error(state, c"Unexpected extra argument");
        }
        0
    }
}

/// Pushes `Linda: name`. [-0, +1, m]
unsafe fn push_shown<const G: u8>(state: *mut lua_State, proxy: &Proxy) {
    // SAFETY: the object is kept alive by its proxy, which is on the stack.
    unsafe {
        push_text(state, if G == 2 { "linda: " } else { "Linda: " });
        if G == 2 || proxy.object.name.is_empty() {
            ffi::lua_pushfstring(state, c"%p".as_ptr(), address(proxy));
        } else {
            flavour::push_bytes(state, &proxy.object.name);
        }
        ffi::lua_concat(state, 2);
    }
}

pub(super) unsafe extern "C-unwind" fn to_string<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this.
    unsafe {
        let proxy = this::<G>(state);
        push_shown::<G>(state, proxy);
        1
    }
}

/// `__concat`: either operand may be the linda.
pub(super) unsafe extern "C-unwind" fn concat<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this with two operands.
    unsafe {
        ffi::lua_settop(state, 2);
        for index in 1..=2 {
            match proxy_at(state, index) {
                Some(proxy) => push_shown::<G>(state, proxy),
                None => ffi::lua_pushvalue(state, index),
            }
        }
        ffi::lua_concat(state, 2);
        1
    }
}

/// `__index` in 4.x: methods, the status, and an error for what does not exist.
/// Methods come first, with as few steps as can be: each call of a method looks
/// it up.
pub(super) unsafe extern "C-unwind" fn index(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this with the linda and the key.
    unsafe {
        let kind = ffi::lua_type(state, 2);
        if kind == ffi::LUA_TSTRING {
            ffi::lua_pushvalue(state, 2);
            if ffi::lua_rawget(state, ffi::lua_upvalueindex(3)) != ffi::LUA_TNIL {
                return 1;
            }
            if pack::bytes_at(state, 2) == b"status" {
                let status = this::<4>(state).object.core.status();
                push_text(
                    state,
                    if status == Status::Active {
                        "active"
                    } else {
                        "cancelled"
                    },
                );
                return 1;
            }
            return ffi::luaL_error(
                state,
                c"unknown field '%s'".as_ptr(),
                ffi::lua_tostring(state, 2),
            );
        }
        let kind = ffi::lua_typename(state, kind);
        ffi::luaL_error(
            state,
            c"Unsupported linda indexing key type %s".as_ptr(),
            kind,
        )
    }
}

pub(super) unsafe extern "C-unwind" fn new_index<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this.
    unsafe { error(state, c"a linda has no fields that can be written") }
}
