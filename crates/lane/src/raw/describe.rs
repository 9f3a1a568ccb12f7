//! Words for the path to a value that cannot travel.
//!
//! Everything here only reads, never raises, and needs four free stack slots.

use std::ffi::{CStr, c_int};

use mlua::ffi::{self, lua_State};

use super::flavour;
use super::pack::bytes_at;

/// One step of the path from a value of the transfer to what is inside it.
pub enum Step {
    /// To the value of a table's entry: in our own words, and as the reference
    /// names it with `verbose_errors`, which has no words for every key.
    Entry(String, Option<String>),
    /// To an upvalue, by its number and its name if it has one.
    Upvalue(c_int, Option<String>),
    /// To a key of a table.
    Key,
    /// To the metatable.
    Metatable,
    /// To a user value.
    UserValue,
}

/// A path in our own words: `argument 2: .handlers.close`.
pub fn plain(root: &str, steps: &[Step]) -> String {
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Entry(text, _) => path.push_str(text),
            Step::Upvalue(_, Some(name)) => path.push_str(&format!("<upvalue {name}>")),
            Step::Upvalue(n, None) => path.push_str(&format!("<upvalue {n}>")),
            Step::Key => path.push_str("[a key]"),
            Step::Metatable => path.push_str("<metatable>"),
            Step::UserValue => path.push_str("<user value>"),
        }
    }
    if path.is_empty() {
        root.to_owned()
    } else {
        format!("{root}: {path}")
    }
}

/// A path as the reference writes it: `arg#2.a.b`. An upvalue is the root of
/// what is inside it.
pub fn verbose(root: &str, steps: &[Step]) -> String {
    let mut path = root.to_owned();
    for step in steps {
        match step {
            Step::Entry(_, Some(text)) => path.push_str(text),
            Step::Entry(_, None) | Step::Key => return "(null)".to_owned(),
            Step::Upvalue(n, name) => path = name.clone().unwrap_or_else(|| format!("upvalue {n}")),
            Step::Metatable | Step::UserValue => {}
        }
    }
    path
}

/// The step to the value of the entry whose key is at `key`. [-0, +0, -]
///
/// # Safety
/// A value at `key`.
pub unsafe fn entry(state: *mut lua_State, key: c_int) -> Step {
    // SAFETY: the caller's promise; each read fits the type.
    unsafe {
        let same = |text: String| Step::Entry(text.clone(), Some(text));
        match ffi::lua_type(state, key) {
            ffi::LUA_TSTRING => {
                let text = String::from_utf8_lossy(bytes_at(state, key)).into_owned();
                let dotted = format!(".{text}");
                Step::Entry(
                    if is_name(&text) {
                        dotted.clone()
                    } else {
                        format!("[{text:?}]")
                    },
                    Some(dotted),
                )
            }
            ffi::LUA_TNUMBER if flavour::is_integer(state, key) => {
                same(format!("[{}]", ffi::lua_tointeger(state, key)))
            }
            ffi::LUA_TNUMBER => same(format!("[{}]", ffi::lua_tonumber(state, key))),
            ffi::LUA_TBOOLEAN => same(format!("[{}]", ffi::lua_toboolean(state, key) != 0)),
            ffi::LUA_TLIGHTUSERDATA => {
                same(format!("[U:{:#x}]", ffi::lua_touserdata(state, key).addr()))
            }
            ffi::LUA_TUSERDATA => {
                Step::Entry("[a userdata]".to_owned(), Some("[U:<FULL>]".to_owned()))
            }
            other => Step::Entry(format!("[a {}]", type_name(state, other)), None),
        }
    }
}

/// The step to upvalue `n` of the function at `function`. [-0, +0, -]
///
/// # Safety
/// A Lua function at `function`, which is absolute.
pub unsafe fn upvalue(state: *mut lua_State, function: c_int, n: c_int) -> Step {
    // SAFETY: the caller's promise; the name is good while the function lives.
    unsafe {
        let name = ffi::lua_getupvalue(state, function, n);
        if name.is_null() {
            return Step::Upvalue(n, None);
        }
        ffi::lua_settop(state, -2);
        // Stripped functions have no names.
        let name = CStr::from_ptr(name).to_str().ok();
        let name = name.filter(|name| !matches!(*name, "" | "(no name)" | "?"));
        Step::Upvalue(n, name.map(str::to_owned))
    }
}

/// The step from the object at `owner` to the one at `child`. [-0, +0, -]
///
/// # Safety
/// Tables or Lua functions at both indices, which are absolute; `owner`
/// mentions `child`.
pub unsafe fn step(state: *mut lua_State, owner: c_int, child: c_int) -> Step {
    // SAFETY: the caller's promise; the table is not changed on the way.
    unsafe {
        let top = ffi::lua_gettop(state);
        if ffi::lua_type(state, owner) == ffi::LUA_TUSERDATA {
            return Step::Metatable;
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
            return Step::Upvalue(0, None);
        }
        ffi::lua_pushnil(state);
        while ffi::lua_next(state, owner) != 0 {
            if ffi::lua_rawequal(state, -1, child) != 0 {
                let text = entry(state, top + 1);
                ffi::lua_settop(state, top);
                return text;
            }
            if ffi::lua_rawequal(state, -2, child) != 0 {
                ffi::lua_settop(state, top);
                return Step::Key;
            }
            ffi::lua_settop(state, top + 1);
        }
        Step::Metatable
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
