//! Our own Lua code: compiled once in a universe, then loaded from bytecode,
//! which takes a tenth of the time. Each lane that requires lanes loads it.

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::sync::Arc;

use lane::raw::protect::{catch, protected};
use lane::raw::{context as state_context, flavour};
use mlua::ffi::{self, lua_State};
use parking_lot::Mutex;

use crate::shared;

/// The bytecode of each source, by its address.
pub type Chunks = Mutex<HashMap<usize, Arc<[u8]>>>;

/// Pushes a chunk of ours as a function. [-0, +1, e]
///
/// # Safety
/// Six free stack slots; nothing with a destructor is held.
pub unsafe fn load(state: *mut lua_State, source: &'static str) {
    // SAFETY: the caller's promise. Loading answers a status and does not
    // raise, so the bytecode may be held meanwhile.
    unsafe {
        let chunks = state_context::of_state(state).map(|context| &shared::of(context).chunks);
        let key = source.as_ptr().addr();
        let known = chunks.and_then(|chunks| chunks.lock().get(&key).cloned());
        let bytes = known.as_deref().unwrap_or(source.as_bytes());
        let (data, len) = (bytes.as_ptr().cast(), bytes.len());
        let name = c"=lanes".as_ptr();
        let status = ffi::luaL_loadbufferx(state, data, len, name, std::ptr::null());
        let compiled = known.is_none();
        drop(known);
        if status != ffi::LUA_OK {
            ffi::lua_error(state);
        }
        // A cache: if this fails, the next one compiles it again.
        if compiled && let Some(chunks) = chunks {
            let mut out: Vec<u8> = Vec::new();
            ffi::lua_pushvalue(state, -1);
            let status = protected(state, 1, 0, dump, (&raw mut out).cast());
            if status == ffi::LUA_OK {
                chunks.lock().insert(key, out.into());
            } else {
                ffi::lua_settop(state, -2);
            }
        }
    }
}

/// `(function) -> ()` [m]: appends its bytecode.
unsafe fn dump(state: *mut lua_State, out: *mut c_void) -> c_int {
    unsafe extern "C-unwind" fn write(
        _: *mut lua_State,
        data: *const c_void,
        len: usize,
        out: *mut c_void,
    ) -> c_int {
        if len == 0 {
            return 0;
        }
        // SAFETY: `out` is the vector of `load`; Lua gives `len` bytes.
        let wrote = catch(|| unsafe {
            let bytes = std::slice::from_raw_parts(data.cast(), len);
            (*out.cast::<Vec<u8>>()).extend_from_slice(bytes);
        });
        c_int::from(wrote.is_err())
    }
    // SAFETY: a Lua function is on top.
    unsafe {
        if flavour::dump(state, write, out, false) != 0 {
            ffi::luaL_error(state, c"unable to dump".as_ptr());
        }
        0
    }
}
