//! Stack traces of lanes that end with an error.

use std::ffi::{CStr, c_char, c_int};

use mlua::ffi::{self, lua_State};

use super::flavour;

/// How much of the stack an error keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Nothing.
    Minimal,
    /// An array of `"source:line"`.
    Basic,
    /// An array of tables with what the debug library tells.
    Extended,
}

/// How many levels a trace has at most.
const MOST: c_int = 200;

static TRACE: u8 = 0;
static LEVEL: u8 = 0;

/// Settles the level for a state. [-0, +0, m]
///
/// # Safety
/// Two free stack slots.
pub unsafe fn set_level(state: *mut lua_State, level: Level) {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::lua_pushinteger(state, level as ffi::lua_Integer);
        ffi::lua_rawsetp(state, ffi::LUA_REGISTRYINDEX, (&raw const LEVEL).cast());
    }
}

/// The message handler of a lane's body: keeps the trace, and passes the error
/// value on as it is.
pub unsafe extern "C-unwind" fn handler(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this with the error value; there is room for a few
    // values, and nothing here owns anything.
    unsafe {
        if super::sentinel::is_cancel_error(state, 1) {
            return 1;
        }
        keep(state, state, 1);
        1
    }
}

/// Keeps the trace of `of`, which is the same state or a coroutine of it that
/// has failed, from this level on. [-0, +0, e]
///
/// # Safety
/// Nothing with a destructor is held.
pub unsafe fn keep(state: *mut lua_State, of: *mut lua_State, first: c_int) {
    // SAFETY: the caller's promise; the structure is ours.
    unsafe {
        ffi::luaL_checkstack(state, 12, std::ptr::null());
        let top = ffi::lua_gettop(state);
        ffi::lua_rawgetp(state, ffi::LUA_REGISTRYINDEX, (&raw const LEVEL).cast());
        let extended = ffi::lua_tointeger(state, -1) == Level::Extended as ffi::lua_Integer;
        ffi::lua_settop(state, top);
        ffi::lua_createtable(state, 8, 0);
        let mut info: ffi::lua_Debug = std::mem::zeroed();
        let mut level = first;
        // Lua counts from the top to find a level, so all levels of a stack that
        // has overflowed would take minutes.
        while level - first < MOST && ffi::lua_getstack(of, level, &raw mut info) != 0 {
            ffi::lua_getinfo(of, c"Sln".as_ptr(), &raw mut info);
            let source = (&raw const info.short_src).cast::<c_char>();
            if extended {
                ffi::lua_createtable(state, 0, 5);
                set(state, c"source", source);
                ffi::lua_pushinteger(state, info.currentline as ffi::lua_Integer);
                ffi::lua_setfield(state, -2, c"currentline".as_ptr());
                set(state, c"name", info.name);
                set(state, c"namewhat", info.namewhat);
                set(state, c"what", info.what);
            } else if info.currentline > 0 {
                ffi::lua_pushfstring(state, c"%s:%d".as_ptr(), source, info.currentline);
            } else {
                ffi::lua_pushfstring(state, c"%s:?".as_ptr(), source);
            }
            level += 1;
            flavour::raw_seti(state, top + 1, (level - first) as u32);
        }
        ffi::lua_rawsetp(state, ffi::LUA_REGISTRYINDEX, (&raw const TRACE).cast());
    }
}

/// Sets a field of the table on top. [-0, +0, m]
unsafe fn set(state: *mut lua_State, field: &CStr, text: *const c_char) {
    // SAFETY: two free stack slots; Lua's strings end with a zero.
    unsafe {
        if text.is_null() {
            ffi::lua_pushstring(state, c"?".as_ptr());
        } else {
            ffi::lua_pushstring(state, text);
        }
        ffi::lua_setfield(state, -2, field.as_ptr());
    }
}

/// Pushes the trace of the last error, or nil. [-0, +1, -]
///
/// # Safety
/// One free stack slot.
pub unsafe fn push(state: *mut lua_State) {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::lua_rawgetp(state, ffi::LUA_REGISTRYINDEX, (&raw const TRACE).cast());
    }
}
