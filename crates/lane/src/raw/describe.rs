//! Words for the path to a value that cannot travel.
//!
//! Everything here only reads, never raises, and needs four free stack slots.

use std::ffi::{CStr, c_int};

use mlua::ffi::{self, lua_State};

use super::flavour;
use super::pack::bytes_at;

/// The step to a key of a table.
pub const KEY: &str = "[a key]";
/// The step to a metatable.
pub const METATABLE: &str = "<metatable>";
/// The step to a user value.
pub const USER_VALUE: &str = "<user value>";

/// The step to the value of the entry whose key is at `key`. [-0, +0, -]
///
/// # Safety
/// A value at `key`.
pub unsafe fn key(state: *mut lua_State, key: c_int) -> String {
    // SAFETY: the caller's promise; each read fits the type.
    unsafe {
        match ffi::lua_type(state, key) {
            ffi::LUA_TSTRING => {
                let text = String::from_utf8_lossy(bytes_at(state, key)).into_owned();
                if is_name(&text) {
                    format!(".{text}")
                } else {
                    format!("[{text:?}]")
                }
            }
            ffi::LUA_TNUMBER if flavour::is_integer(state, key) => {
                format!("[{}]", ffi::lua_tointeger(state, key))
            }
            ffi::LUA_TNUMBER => format!("[{}]", ffi::lua_tonumber(state, key)),
            ffi::LUA_TBOOLEAN => format!("[{}]", ffi::lua_toboolean(state, key) != 0),
            other => format!("[a {}]", type_name(state, other)),
        }
    }
}

/// The step to upvalue `n` of the function at `function`. [-0, +0, -]
///
/// # Safety
/// A Lua function at `function`, which is absolute.
pub unsafe fn upvalue(state: *mut lua_State, function: c_int, n: c_int) -> String {
    // SAFETY: the caller's promise; the name is good while the function lives.
    unsafe {
        let name = ffi::lua_getupvalue(state, function, n);
        if name.is_null() {
            return format!("<upvalue {n}>");
        }
        ffi::lua_settop(state, -2);
        match CStr::from_ptr(name).to_str() {
            // Stripped functions have no names.
            Ok("" | "(no name)" | "?") | Err(_) => format!("<upvalue {n}>"),
            Ok(name) => format!("<upvalue {name}>"),
        }
    }
}

/// The step from the object at `owner` to the one at `child`. [-0, +0, -]
///
/// # Safety
/// Tables or Lua functions at both indices, which are absolute; `owner`
/// mentions `child`.
pub unsafe fn step(state: *mut lua_State, owner: c_int, child: c_int) -> String {
    // SAFETY: the caller's promise; the table is not changed on the way.
    unsafe {
        let top = ffi::lua_gettop(state);
        if ffi::lua_type(state, owner) == ffi::LUA_TUSERDATA {
            return METATABLE.to_owned();
        }
        if ffi::lua_type(state, owner) == ffi::LUA_TFUNCTION {
            let mut n = 1;
            while !ffi::lua_getupvalue(state, owner, n).is_null() {
                let found = ffi::lua_rawequal(state, -1, child) != 0;
                ffi::lua_settop(state, top);
                if found {
                    return upvalue(state, owner, n);
                }
                n += 1;
            }
            return "<upvalue>".to_owned();
        }
        ffi::lua_pushnil(state);
        while ffi::lua_next(state, owner) != 0 {
            if ffi::lua_rawequal(state, -1, child) != 0 {
                let text = key(state, top + 1);
                ffi::lua_settop(state, top);
                return text;
            }
            if ffi::lua_rawequal(state, -2, child) != 0 {
                ffi::lua_settop(state, top);
                return KEY.to_owned();
            }
            ffi::lua_settop(state, top + 1);
        }
        METATABLE.to_owned()
    }
}

unsafe fn type_name(state: *mut lua_State, kind: c_int) -> String {
    // SAFETY: Lua's type names are static strings.
    unsafe { CStr::from_ptr(ffi::lua_typename(state, kind)) }
        .to_string_lossy()
        .into_owned()
}

fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
