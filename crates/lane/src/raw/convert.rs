//! Objects that say themselves how they travel: the fields `__lanesconvert`,
//! `__lanesignore` and `__lanesclone` of their metatables.

use std::ffi::{c_int, c_void};

use mlua::ffi::{self, lua_State};

use super::context::{Context, Generation};
use super::pack::bytes_at;
use super::protect::protected;
use super::{flavour, sentinel};

static CONVERT: u8 = 0;
static IGNORE: u8 = 0;
static CLONE: u8 = 0;

/// Puts the names of the fields where reading them takes no memory.
/// [-0, +0, m]
///
/// # Safety
/// Two free stack slots.
pub unsafe fn install(state: *mut lua_State) {
    let names: [(&'static u8, &[u8]); 3] = [
        (&CONVERT, b"__lanesconvert"),
        (&IGNORE, b"__lanesignore"),
        (&CLONE, b"__lanesclone"),
    ];
    for (key, name) in names {
        // SAFETY: the caller's promise.
        unsafe {
            flavour::push_bytes(state, name);
            ffi::lua_rawsetp(
                state,
                ffi::LUA_REGISTRYINDEX,
                std::ptr::from_ref(key).cast(),
            );
        }
    }
}

/// Pushes a field of the metatable of the object at `index`; nothing without a
/// metatable. [-0, +(0|1), -]
unsafe fn push_field(state: *mut lua_State, index: c_int, key: &'static u8) -> bool {
    // SAFETY: two free stack slots; raw reads do not raise.
    unsafe {
        if ffi::lua_getmetatable(state, index) == 0 {
            return false;
        }
        ffi::lua_rawgetp(
            state,
            ffi::LUA_REGISTRYINDEX,
            std::ptr::from_ref(key).cast(),
        );
        ffi::lua_rawget(state, -2);
        ffi::lua_remove(state, -2);
        true
    }
}

/// What an object becomes.
pub enum Verdict {
    /// Itself.
    Itself,
    /// nil.
    Nil,
    /// A light userdata with its address.
    Decay,
    /// The value that now is on top of the stack.
    Top,
}

/// What the object at `index` wants to become. `keeper` says that it is on its
/// way into a linda. At `anchors` there is nil or the list of the objects that
/// were converted: they must stay as long as their addresses are remembered.
/// [-0, +(0|1), -]
///
/// # Safety
/// A table or full userdata at `index`, which is absolute like `anchors`; eight
/// free stack slots; `context` belongs to `state`.
pub unsafe fn verdict(
    state: *mut lua_State,
    context: &Context,
    index: c_int,
    keeper: bool,
    anchors: c_int,
) -> Result<Verdict, String> {
    // SAFETY: the caller's promise; user code runs protected.
    unsafe {
        let top = ffi::lua_gettop(state);
        match context.generation() {
            Generation::V2 => return Ok(Verdict::Itself),
            Generation::V3 => {
                let ignored =
                    push_field(state, index, &IGNORE) && ffi::lua_toboolean(state, -1) != 0;
                ffi::lua_settop(state, top);
                return Ok(if ignored {
                    Verdict::Nil
                } else {
                    Verdict::Itself
                });
            }
            Generation::V4 => {}
        }
        if !push_field(state, index, &CONVERT) {
            return Ok(context.conversion_fallback());
        }
        let verdict = match ffi::lua_type(state, -1) {
            ffi::LUA_TNIL => Ok(Verdict::Itself),
            ffi::LUA_TLIGHTUSERDATA if sentinel::is_null(ffi::lua_touserdata(state, -1)) => {
                Ok(Verdict::Nil)
            }
            ffi::LUA_TSTRING if bytes_at(state, -1) == b"decay" => Ok(Verdict::Decay),
            ffi::LUA_TSTRING => {
                let mode = String::from_utf8_lossy(bytes_at(state, -1));
                Err(format!("Invalid __lanesconvert mode '{mode}'"))
            }
            ffi::LUA_TFUNCTION => {
                ffi::lua_pushvalue(state, index);
                let mut keeper = keeper;
                ffi::lua_pushvalue(state, anchors);
                if protected(state, 3, 2, call, (&raw mut keeper).cast()) == ffi::LUA_OK {
                    ffi::lua_replace(state, anchors);
                    return Ok(Verdict::Top);
                }
                Err(format!(
                    "an error in __lanesconvert: {}",
                    super::state::error_text(state)
                ))
            }
            kind => {
                let kind =
                    std::ffi::CStr::from_ptr(ffi::lua_typename(state, kind)).to_string_lossy();
                Err(format!("Invalid __lanesconvert type {kind}"))
            }
        };
        ffi::lua_settop(state, top);
        verdict
    }
}

/// `(function, object, anchors or nil) -> result, anchors` [e]
unsafe fn call(state: *mut lua_State, data: *mut c_void) -> c_int {
    // SAFETY: `data` is the flag that `verdict` passes.
    unsafe {
        if ffi::lua_type(state, 3) != ffi::LUA_TTABLE {
            ffi::lua_settop(state, 2);
            ffi::lua_createtable(state, 1, 0);
        }
        ffi::lua_pushvalue(state, 2);
        flavour::raw_seti(state, 3, ffi::lua_rawlen(state, 3) as u32 + 1);
        ffi::lua_insert(state, 1);
        flavour::push_bytes(
            state,
            if *data.cast::<bool>() {
                b"keeper"
            } else {
                b"regular"
            },
        );
        ffi::lua_call(state, 2, 1);
        ffi::lua_insert(state, 1);
        2
    }
}

/// Whether the userdata at `index` can be cloned. [-0, +0, -]
///
/// # Safety
/// A full userdata at `index`, which is absolute; two free stack slots.
pub unsafe fn is_clonable(state: *mut lua_State, index: c_int) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let top = ffi::lua_gettop(state);
        let is = push_field(state, index, &CLONE) && ffi::lua_type(state, -1) == ffi::LUA_TFUNCTION;
        ffi::lua_settop(state, top);
        is
    }
}

/// What a clone is made of.
pub struct Cloning {
    pub to: *mut c_void,
    pub from: *const c_void,
    pub size: usize,
}

/// Fills a block of memory with a clone of the userdata at `index`, or says
/// why not. [-0, +0, -]
///
/// # Safety
/// A clonable userdata at `index`, which is absolute; `cloning` describes
/// blocks of that size; six free stack slots.
pub unsafe fn clone(
    state: *mut lua_State,
    index: c_int,
    mut cloning: Cloning,
) -> Result<(), String> {
    // SAFETY: the caller's promise; user code runs protected.
    unsafe {
        let top = ffi::lua_gettop(state);
        push_field(state, index, &CLONE);
        let done = protected(state, 1, 0, call_clone, (&raw mut cloning).cast()) == ffi::LUA_OK;
        let result = if done {
            Ok(())
        } else {
            Err(format!(
                "an error in __lanesclone: {}",
                super::state::error_text(state)
            ))
        };
        ffi::lua_settop(state, top);
        result
    }
}

/// `(function) -> ()` [e]
unsafe fn call_clone(state: *mut lua_State, data: *mut c_void) -> c_int {
    // SAFETY: `data` is what `clone` passes.
    unsafe {
        push_cloning(state, &*data.cast::<Cloning>());
        ffi::lua_call(state, 3, 0);
        0
    }
}

/// Pushes the arguments of `__lanesclone`. [-0, +3, -]
///
/// # Safety
/// Three free stack slots.
unsafe fn push_cloning(state: *mut lua_State, cloning: &Cloning) {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::lua_pushlightuserdata(state, cloning.to);
        ffi::lua_pushlightuserdata(state, cloning.from.cast_mut());
        ffi::lua_pushinteger(state, cloning.size as ffi::lua_Integer);
    }
}

/// Clones with the function in the metatable on top. [-0, +0, e]
///
/// # Safety
/// A table on top; five free stack slots; raises what the function raises.
pub unsafe fn clone_with_metatable(state: *mut lua_State, cloning: &Cloning) {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::lua_rawgetp(state, ffi::LUA_REGISTRYINDEX, (&raw const CLONE).cast());
        ffi::lua_rawget(state, -2);
        push_cloning(state, cloning);
        ffi::lua_call(state, 3, 0);
    }
}
