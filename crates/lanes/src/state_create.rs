//! The `on_state_create` option: a function that is called in each new lane.
//!
//! A C function without upvalues is also called in bare states when the
//! program configures. The original stored the contents of lindas in such
//! states, and hooks count on being called there.

use std::ffi::{CStr, c_int};

use lane::Message;
use lane::raw::pack::SLOTS;
use lane::raw::protect::reserve;
use lane::raw::{Context, Generation, call_in_fresh_state, unpack};
use mlua::ffi::{self, lua_State};

use crate::call::{Raise, context, push_text, raise, work};
use crate::shared;

/// The function, in a form that any state can call.
pub enum OnCreate {
    /// A C function without upvalues.
    Native(ffi::lua_CFunction),
    /// Any other.
    Packed(Message),
}

/// The function as it is found among the options.
pub enum Found {
    Native(ffi::lua_CFunction),
    Other,
}

impl Found {
    /// Packs what must be packed.
    pub fn or_packed(
        self,
        pack: impl FnOnce() -> Result<Message, Raise>,
    ) -> Result<OnCreate, Raise> {
        Ok(match self {
            Found::Native(function) => OnCreate::Native(function),
            Found::Other => OnCreate::Packed(pack()?),
        })
    }
}

/// The function at `index`, if there is one. [-0, +0, -]
///
/// # Safety
/// One free stack slot.
pub unsafe fn at(state: *mut lua_State, index: c_int) -> Option<Found> {
    // SAFETY: the caller's promise.
    unsafe {
        if ffi::lua_type(state, index) != ffi::LUA_TFUNCTION {
            return None;
        }
        let Some(function) = ffi::lua_tocfunction(state, index) else {
            return Some(Found::Other);
        };
        if ffi::lua_getupvalue(state, index, 1).is_null() {
            // A lane that outlives this state may start others.
            lane::raw::pin(function as *const std::ffi::c_void);
            return Some(Found::Native(function));
        }
        ffi::lua_settop(state, -2);
        Some(Found::Other)
    }
}

/// `check_state_create(f, keepers, timers)`: the calls that `configure` makes.
pub unsafe extern "C-unwind" fn check(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this; see `call` for the three parts.
    unsafe {
        let context = context(state);
        let Some(Found::Native(function)) = at(state, 1) else {
            return 0;
        };
        let keepers = ffi::luaL_checkinteger(state, 2);
        let timers = ffi::lua_toboolean(state, 3) != 0;
        let done = work(|| {
            let failed = |place: &str, text: String| {
                Raise::Text(format!("on_state_create failed{place}: \"{text}\""))
            };
            let modern = context.generation() == Generation::V4;
            for _ in 0..keepers {
                call_in_fresh_state(function, c"keeper", false)
                    .map_err(|text| failed(if modern { " in keeper" } else { "" }, text))?;
            }
            if timers {
                call_in_fresh_state(function, c"lane", true)
                    .map_err(|text| failed(if modern { " in lane" } else { "" }, text))?;
            }
            Ok(())
        });
        match done {
            Ok(()) => 0,
            Err(why) => raise(state, context, why),
        }
    }
}

/// Calls the function in a new lane. [-0, +0, e]
///
/// # Safety
/// The state has its context; nothing with a destructor is held.
pub unsafe fn run(state: *mut lua_State, context: &Context) {
    // SAFETY: the caller's promise; the message is shared by the universe.
    unsafe {
        let Some(on_create) = shared::of(context).on_create.get() else {
            return;
        };
        let top = ffi::lua_gettop(state);
        reserve(state, SLOTS);
        match on_create {
            OnCreate::Native(function) => ffi::lua_pushcfunction(state, *function),
            OnCreate::Packed(message) => {
                if let Err(fault) = unpack::message(state, context, message, false) {
                    unpack::push_fault(state, fault);
                    fail(state, context);
                }
            }
        }
        let modern = context.generation() == Generation::V4;
        if modern {
            push_text(state, "lane");
        }
        if ffi::lua_pcall(state, c_int::from(modern), 0, 0) != ffi::LUA_OK {
            fail(state, context);
        }
        ffi::lua_settop(state, top);
    }
}

/// Raises the error on top as this option's. [-0, +0, e]
unsafe fn fail(state: *mut lua_State, context: &Context) {
    let text: &CStr = if context.generation() == Generation::V4 {
        c"on_state_create failed in lane: \"%s\""
    } else {
        c"on_state_create failed: \"%s\""
    };
    // SAFETY: a value on top; nothing is held.
    unsafe {
        let shown = ffi::luaL_tolstring(state, -1, std::ptr::null_mut());
        ffi::lua_pushfstring(state, text.as_ptr(), shown);
        ffi::lua_error(state);
    }
}
