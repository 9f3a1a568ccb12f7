//! The globals that exist in lanes only.

use std::ffi::{CStr, c_int};

use lane::raw::{
    Generation, Parked, TraceLevel, context as state_context, flavour, sentinel, set_trace_level,
};
use linda::Level;
use mlua::ffi::{self, lua_State};

use crate::call::{argument_error, context, error, push_text, raise, set_functions, work};

/// `set_finalizer(f)`
unsafe extern "C-unwind" fn set_finalizer(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this.
    unsafe {
        if ffi::lua_type(state, 1) != ffi::LUA_TFUNCTION {
            argument_error(state, 1, c"finalizer should be a function");
        }
        if ffi::lua_gettop(state) > 1 {
            argument_error(state, 1, c"too many arguments");
        }
        lane::raw::set_finalizer(state);
        0
    }
}

/// `cancel_test([query])`
unsafe extern "C-unwind" fn cancel_test(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this.
    unsafe {
        let context = context(state);
        let level = context
            .lane()
            .map_or(Level::None, |lane| lane.cancel().level());
        let modern = context.generation() == Generation::V4;
        match level {
            Level::None => ffi::lua_pushboolean(state, 0),
            _ if !modern => ffi::lua_pushboolean(state, 1),
            Level::Soft => push_text(state, "soft"),
            Level::Hard if ffi::lua_toboolean(state, 1) != 0 => push_text(state, "hard"),
            Level::Hard => {
                ffi::lua_pushlightuserdata(state, sentinel::cancel_error());
                ffi::lua_error(state);
            }
        }
        1
    }
}

/// `lane_threadname([name])`; `set_debug_threadname(name)`
unsafe extern "C-unwind" fn thread_name(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; the name is parked while Lua may raise.
    unsafe {
        let context = context(state);
        let Some(lane) = context.lane() else { return 0 };
        match ffi::lua_gettop(state) {
            0 if context.generation() == Generation::V4 => {
                let name = lane.name_bytes();
                let bytes: *const [u8] = name.as_slice();
                let place = context.park(Parked::Any(Box::new(name)));
                flavour::push_bytes(state, &*bytes);
                context.unpark(place);
                1
            }
            1 => {
                ffi::luaL_checktype(state, 1, ffi::LUA_TSTRING);
                let bytes = lane::raw::pack::bytes_at(state, 1);
                let named = work(|| {
                    lane.rename(bytes.to_vec());
                    lane::thread::set_name(bytes);
                    Ok(())
                });
                if let Err(why) = named {
                    return raise(state, context, why);
                }
                if context.generation() == Generation::V3 {
                    ffi::lua_setglobal(state, DECODA.as_ptr());
                }
                0
            }
            _ => error(state, c"Wrong number of arguments"),
        }
    }
}

/// Debuggers of 3.x read the lane's name from this global.
const DECODA: &CStr = c"decoda_name";

/// `set_error_reporting("basic" or "extended")`, in 3.x
unsafe extern "C-unwind" fn set_error_reporting(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; nothing is held.
    unsafe {
        let word = ffi::luaL_checkstring(state, 1);
        let level = match CStr::from_ptr(word).to_bytes() {
            b"basic" => TraceLevel::Basic,
            b"extended" => TraceLevel::Extended,
            _ => {
                return ffi::luaL_error(
                    state,
                    c"unsupported error reporting model %s".as_ptr(),
                    word,
                );
            }
        };
        set_trace_level(state, level);
        0
    }
}

/// Puts the globals of a lane into a fresh state. [-0, +0, e]
///
/// # Safety
/// The state has its context; a few free stack slots.
pub unsafe fn open_lane(state: *mut lua_State) {
    // SAFETY: the caller's promise; nothing is held.
    unsafe {
        let generation =
            state_context::of_state(state).map_or(Generation::V4, lane::raw::Context::generation);
        ffi::lua_pushglobaltable(state);
        set_functions(
            state,
            &[
                (c"set_finalizer", set_finalizer),
                (c"cancel_test", cancel_test),
            ],
        );
        let name = if generation == Generation::V4 {
            c"lane_threadname"
        } else {
            c"set_debug_threadname"
        };
        set_functions(state, &[(name, thread_name)]);
        if generation == Generation::V3 {
            set_functions(state, &[(c"set_error_reporting", set_error_reporting)]);
            ffi::lua_pushfstring(state, c"Lane #%p".as_ptr(), state);
            ffi::lua_setfield(state, -2, DECODA.as_ptr());
        }
        ffi::lua_settop(state, -2);
        crate::capi::publish(state);
        crate::module::preload(state);
        if generation == Generation::V2 {
            crate::module::soften(state);
        }
        if let Some(context) = state_context::of_state(state) {
            crate::loading::wrap(state, context);
            crate::state_create::run(state, context);
        }
    }
}
