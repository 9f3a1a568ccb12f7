//! The functions that `lua/lanes.lua` and its parts are built upon.

use std::ffi::c_int;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lane::raw::pack::{self, Names, SLOTS};
use lane::raw::protect::reserve;
use lane::raw::unpack;
use lane::raw::{Context, Generation, flavour, sentinel};
use lane::{Fallback, Message, Settings};
use linda::{Cancel, Cause, Deadline};
use mlua::ffi::{self, lua_State};

use crate::args::deadline;
use crate::call::{Raise, argument_error, context, push_text, raise, set_functions, work};
use crate::{
    creation, finally, generator, loading, module, naming, object, outcome, selecting, shared,
    state_create, thread, timers, tracking,
};

/// Pushes the table of what `lua/lanes.lua` builds upon. [-0, +1, e]
///
/// # Safety
/// The state has its context; a few free stack slots.
pub unsafe fn push(state: *mut lua_State, context: &Context) {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::lua_createtable(state, 0, 32);
        set_functions(
            state,
            &[
                (c"part", module::part),
                (c"settle", settle),
                (c"adopt", adopt),
                (c"configure", configure),
                (c"check_state_create", state_create::check),
                (c"generator", generator::make),
                (c"linda", creation::linda),
                (c"is_linda", is_linda),
                (c"select", selecting::select),
                (c"share", crate::share::share),
                (c"now_secs", now_secs),
                (c"sleep", sleep),
                (c"c_upvalues", c_upvalues),
                (c"userdata_size", userdata_size),
                (c"metatable", metatable),
                (c"finally", finally::set),
                (c"threads", tracking::threads),
                (c"cancel_all", tracking::cancel_all),
                (c"register", naming::register),
                (c"registry", naming::registry),
                (c"set_thread_priority", thread::set_priority),
                (c"thread_priority_range", thread::priority_range),
                (c"set_thread_affinity", thread::set_affinity),
                (c"start_timers", timers::start),
                (c"timers_active", timers::active),
                (c"timer", timers::timer),
                (c"timers", timers::list),
            ],
        );
        // A version, a function and its datum.
        ffi::lua_pushinteger(state, 3 * size_of::<usize>() as ffi::lua_Integer);
        ffi::lua_setfield(state, -2, c"allocator_size".as_ptr());
        ffi::lua_pushlightuserdata(state, sentinel::cancel_error());
        ffi::lua_setfield(state, -2, c"cancel_error".as_ptr());
        ffi::lua_pushlightuserdata(state, sentinel::null());
        ffi::lua_setfield(state, -2, c"null".as_ptr());
        ffi::lua_pushboolean(state, c_int::from(context.lane().is_some()));
        ffi::lua_setfield(state, -2, c"in_lane".as_ptr());
        push_text(state, env!("CARGO_PKG_VERSION"));
        ffi::lua_setfield(state, -2, c"version".as_ptr());
        push_text(state, flavour::NAME);
        ffi::lua_setfield(state, -2, c"flavour".as_ptr());
        ffi::lua_pushboolean(state, c_int::from(flavour::CLOSES));
        ffi::lua_setfield(state, -2, c"closes".as_ptr());
        if context.is_settled() {
            ffi::lua_pushinteger(state, context.generation() as ffi::lua_Integer);
            ffi::lua_setfield(state, -2, c"generation".as_ptr());
        }
        // Lanes work with what their master was configured with.
        if let Some(options) = shared::of(context).options.get() {
            reserve(state, SLOTS);
            if unpack::message(state, context, options, false) == Ok(1) {
                ffi::lua_setfield(state, -2, c"settings".as_ptr());
            }
        }
    }
}

/// `settle(n)` -> the generation of the state; nil, text if it is another.
unsafe extern "C-unwind" fn settle(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this.
    unsafe {
        let context = context(state);
        let generation = match ffi::luaL_checkinteger(state, 1) {
            2 => Generation::V2,
            3 => Generation::V3,
            4 => Generation::V4,
            _ => argument_error(state, 1, c"the api is 2, 3 or 4"),
        };
        match context.choose(generation) {
            Ok(()) => {
                ffi::lua_pushinteger(state, generation as ffi::lua_Integer);
                1
            }
            Err(other) => {
                ffi::lua_pushnil(state);
                ffi::lua_pushfstring(
                    state,
                    c"this Lua state speaks the interface of Lanes %d.x already".as_ptr(),
                    other as c_int,
                );
                2
            }
        }
    }
}

/// `configure(settings, inherited, on_state_create)`: settles what was checked.
/// `inherited` is what lanes need to know of it.
unsafe extern "C-unwind" fn configure(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this, with a table without metatable.
    unsafe {
        let context = context(state);
        ffi::lua_settop(state, 3);
        let flag = |name: &std::ffi::CStr| {
            ffi::lua_getfield(state, 1, name.as_ptr());
            let flag = ffi::lua_toboolean(state, -1) != 0;
            ffi::lua_settop(state, -2);
            flag
        };
        let number = |name: &std::ffi::CStr, default: f64| {
            ffi::lua_getfield(state, 1, name.as_ptr());
            let number = match ffi::lua_type(state, -1) {
                ffi::LUA_TNUMBER => ffi::lua_tonumber(state, -1),
                _ => default,
            };
            ffi::lua_settop(state, -2);
            number
        };
        ffi::lua_getfield(state, 1, c"convert_fallback".as_ptr());
        let convert_fallback = match ffi::lua_type(state, -1) {
            ffi::LUA_TLIGHTUSERDATA => Some(Fallback::Null),
            ffi::LUA_TSTRING => Some(Fallback::Decay),
            _ => None,
        };
        let timeout = number(c"shutdown_timeout", 0.25);
        let mut settings = Settings {
            shutdown_timeout: Duration::ZERO,
            strip_functions: flag(c"strip_functions"),
            verbose_errors: flag(c"verbose_errors"),
            convert_fallback,
            convert_max_attempts: number(c"convert_max_attempts", 1.0) as u32,
            demote_full_userdata: flag(c"demote_full_userdata"),
            track_lanes: flag(c"track_lanes"),
        };
        let on_create = state_create::at(state, 3);
        reserve(state, SLOTS);
        let done = work(|| {
            settings.shutdown_timeout = Duration::try_from_secs_f64(timeout)
                .map_err(|_| Raise::Text("value out of range".to_owned()))?;
            lane::raw::collect_names(state, context);
            let message = |index| -> Result<Message, Raise> {
                pack::together(state, context, index, 1, Names::Argument(1))
                    .map_err(|refusal| Raise::Text(refusal.0))
            };
            let on_create = match on_create {
                Some(on_create) => Some(on_create.or_packed(|| message(3))?),
                None => None,
            };
            let options = message(2)?;
            // Only the first time counts, for all of it.
            if context.universe().configure(settings) {
                let shared = shared::of(context);
                let _ = shared.options.set(options);
                if let Some(on_create) = on_create {
                    let _ = shared.on_create.set(on_create);
                }
            }
            Ok(())
        });
        match done {
            Ok(()) => {
                loading::wrap(state, context);
                0
            }
            Err(why) => raise(state, context, why),
        }
    }
}

/// `adopt(lanes or nil)`: what stands for the module when it is transferred. A
/// table that is not adopted travels like any other.
unsafe extern "C-unwind" fn adopt(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this. The registry keeps the module.
    unsafe {
        let context = context(state);
        context.set_module(ffi::lua_topointer(state, 1));
        if context.lane().is_none() && context.named() {
            lane::raw::collect_again(state, context);
        }
        0
    }
}

/// `userdata_size(v)` -> the size of a full userdata; nil for others
unsafe extern "C-unwind" fn userdata_size(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this.
    unsafe {
        if ffi::lua_type(state, 1) != ffi::LUA_TUSERDATA {
            return 0;
        }
        ffi::lua_pushinteger(state, ffi::lua_rawlen(state, 1) as ffi::lua_Integer);
        1
    }
}

/// `metatable(v)` -> its metatable, hidden or not
unsafe extern "C-unwind" fn metatable(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this.
    unsafe { ffi::lua_getmetatable(state, 1) }
}

/// `c_upvalues(f)` -> the number of upvalues of a C function; nil for others
unsafe extern "C-unwind" fn c_upvalues(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this.
    unsafe {
        if ffi::lua_iscfunction(state, 1) == 0 {
            return 0;
        }
        let mut count = 0;
        while !ffi::lua_getupvalue(state, 1, count + 1).is_null() {
            count += 1;
            ffi::lua_settop(state, -2);
        }
        ffi::lua_pushinteger(state, ffi::lua_Integer::from(count));
        1
    }
}

/// `is_linda(v)` -> boolean
unsafe extern "C-unwind" fn is_linda(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this.
    unsafe {
        let is = lane::raw::deep::object_at(state, 1)
            .is_some_and(|object| std::ptr::eq(object.kind(), &object::KIND));
        ffi::lua_pushboolean(state, c_int::from(is));
        1
    }
}

/// `now_secs()` -> seconds since the epoch
unsafe extern "C-unwind" fn now_secs(state: *mut lua_State) -> c_int {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64());
    // SAFETY: Lua calls this.
    unsafe { ffi::lua_pushnumber(state, now) };
    1
}

/// `sleep([seconds])`
unsafe extern "C-unwind" fn sleep(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; see `call` for the three parts.
    unsafe {
        let context = context(state);
        let generation = context.generation();
        let modern = generation == Generation::V4;
        let limit = match ffi::lua_type(state, 1) {
            ffi::LUA_TNIL | ffi::LUA_TNONE if modern => Deadline::never(),
            ffi::LUA_TNIL | ffi::LUA_TNONE => Deadline::now(),
            ffi::LUA_TBOOLEAN if !modern && ffi::lua_toboolean(state, 1) == 0 => Deadline::now(),
            ffi::LUA_TNUMBER => {
                if modern && ffi::lua_tonumber(state, 1) < 0.0 {
                    argument_error(state, 1, c"duration must be >= 0");
                }
                deadline(state, generation, 1)
            }
            _ if modern => argument_error(state, 1, c"duration must be a number"),
            _ => {
                let shown = ffi::luaL_tolstring(state, 1, std::ptr::null_mut());
                return ffi::luaL_error(state, c"invalid duration \"%s\"".as_ptr(), shown);
            }
        };
        match work(|| Ok(Cancel::wait(&context.party(), limit))) {
            Ok(Ok(())) if modern => outcome::receive_timed_out(state, generation),
            Ok(Ok(())) => 0,
            Ok(Err(Cause::Hard)) => raise(state, context, Raise::Cancelled),
            Ok(Err(_)) => outcome::cancelled(state, generation, false),
            Err(why) => raise(state, context, why),
        }
    }
}
