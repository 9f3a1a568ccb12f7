//! The module table: what `require "lanes"` returns.
//!
//! The table itself is made in Lua, by `lua/lanes.lua`, out of the functions
//! collected here.

use std::ffi::{CStr, c_int};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lane::raw::{Context, Generation, Hooks, context as state_context, flavour, sentinel};
use lane::{Deep, Settings, Universe};
use linda::{Cancel, Cause, Deadline};
use mlua::ffi::{self, lua_State};

use crate::args::deadline;
use crate::call::{
    Function, Raise, argument_error, context, error, push_text, raise, set_functions, work,
};
use crate::object::{self, Object};
use crate::{generator, globals, outcome};

/// The source of the module table.
const SOURCE: &str = include_str!("../../../lua/lanes.lua");

/// What programs for Lua 5.1 expect of later ones; see the file.
const V2_FORMAT: &str = include_str!("../../../lua/v2_format.lua");

static HOOKS: Hooks = Hooks {
    push_module,
    open_lane: globals::open_lane,
};

/// In the registry: the module table.
static MODULE: u8 = 0;

/// The names under which the module answers, and what each chooses.
const NAMES: [(&CStr, Function); 4] = [
    (c"lanes", open),
    (c"lanes.v2", open_v2),
    (c"lanes.v3", open_v3),
    (c"lanes.v4", open_v4),
];

/// `luaopen_lanes`: pushes the module table. [-0, +1, e]
///
/// # Safety
/// Called by Lua, with a valid state.
pub unsafe extern "C-unwind" fn open(state: *mut lua_State) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        push_module(state);
        1
    }
}

macro_rules! open_as {
    ($name:ident, $generation:expr, $what:literal) => {
        /// Pushes the module table and settles that this state and the lanes
        /// it starts speak the interface of
        #[doc = $what]
        /// [-0, +1, e]
        ///
        /// # Safety
        /// Called by Lua, with a valid state.
        pub unsafe extern "C-unwind" fn $name(state: *mut lua_State) -> c_int {
            // SAFETY: the caller's promise.
            unsafe { open_generation(state, $generation) }
        }
    };
}

open_as!(open_v2, Generation::V2, "Lanes 2.x.");
open_as!(open_v3, Generation::V3, "Lanes 3.x.");
open_as!(open_v4, Generation::V4, "Lanes 4.x.");

unsafe fn open_generation(state: *mut lua_State, generation: Generation) -> c_int {
    // SAFETY: Lua calls this; nothing is held.
    unsafe {
        ensure_context(state);
        let Some(context) = state_context::of_state(state) else {
            error(state, c"lanes is closed")
        };
        if let Err(other) = context.choose(generation) {
            return ffi::luaL_error(
                state,
                c"this Lua state speaks the interface of Lanes %d.x already: require 'lanes.v%d' first of all".as_ptr(),
                other as c_int,
                generation as c_int,
            );
        }
        push_module(state);
        // A later plain `require "lanes"` answers with the same table.
        ffi::lua_pushstring(state, c"_LOADED".as_ptr());
        ffi::lua_rawget(state, ffi::LUA_REGISTRYINDEX);
        if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
            ffi::lua_pushvalue(state, -2);
            ffi::lua_setfield(state, -2, c"lanes".as_ptr());
        }
        ffi::lua_settop(state, -2);
        1
    }
}

/// Makes the module findable under its names where the package library is
/// there. [-0, +0, e]
///
/// # Safety
/// A few free stack slots.
pub unsafe fn preload(state: *mut lua_State) {
    // SAFETY: the caller's promise; nothing is held.
    unsafe {
        let top = ffi::lua_gettop(state);
        // 5.1 and LuaJIT keep it in the package table only.
        push_loaded(state, c"package");
        if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
            ffi::lua_pushstring(state, c"preload".as_ptr());
            ffi::lua_rawget(state, -2);
            if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
                for (name, function) in NAMES {
                    ffi::lua_pushcfunction(state, function);
                    ffi::lua_setfield(state, -2, name.as_ptr());
                }
            }
        }
        ffi::lua_settop(state, top);
    }
}

/// Pushes a loaded module, or nil. [-0, +1, m]
///
/// # Safety
/// Three free stack slots.
pub unsafe fn push_loaded(state: *mut lua_State, name: &CStr) {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::lua_pushstring(state, c"_LOADED".as_ptr());
        ffi::lua_rawget(state, ffi::LUA_REGISTRYINDEX);
        if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
            ffi::lua_pushstring(state, name.as_ptr());
            ffi::lua_rawget(state, -2);
            ffi::lua_remove(state, -2);
        }
    }
}

/// Gives a state that speaks the interface of 2.x what programs of that age
/// expect of their interpreter. [-0, +0, e]
///
/// # Safety
/// A few free stack slots.
pub unsafe fn soften(state: *mut lua_State) {
    if !flavour::INTEGERS {
        return;
    }
    // SAFETY: the caller's promise; nothing is held.
    unsafe {
        let top = ffi::lua_gettop(state);
        push_loaded(state, c"string");
        push_loaded(state, c"math");
        if ffi::lua_type(state, top + 1) == ffi::LUA_TTABLE
            && ffi::lua_type(state, top + 2) == ffi::LUA_TTABLE
        {
            load(state, V2_FORMAT);
            ffi::lua_call(state, 0, 0);
        }
        ffi::lua_settop(state, top);
    }
}

/// Pushes a chunk of ours as a function. [-0, +1, e]
pub unsafe fn load(state: *mut lua_State, source: &'static str) {
    // SAFETY: nothing is held.
    unsafe {
        let (data, len) = (source.as_ptr().cast(), source.len());
        if ffi::luaL_loadbufferx(state, data, len, c"=lanes".as_ptr(), std::ptr::null())
            != ffi::LUA_OK
        {
            ffi::lua_error(state);
        }
    }
}

/// Gives a state that has none a context: it becomes a master state, with a
/// universe of its own. [-0, +0, e]
unsafe fn ensure_context(state: *mut lua_State) {
    // SAFETY: nothing is held when `install` raises but the context itself,
    // which then stays behind: there is no memory for it anyway.
    unsafe {
        if state_context::of_state(state).is_some() {
            return;
        }
        ffi::luaL_checkstack(state, 12, std::ptr::null());
        let made = work(|| {
            let universe = Arc::new(Universe::new(&HOOKS));
            let context = Context::new(universe, None, Generation::V4);
            if let Some(generation) = wanted_by_environment() {
                let _ = context.choose(generation);
            }
            Ok(Box::into_raw(Box::new(context)))
        });
        match made {
            Ok(context) => {
                state_context::install(state, context);
                crate::capi::publish(state);
            }
            Err(_) => error(state, c"lanes cannot be started"),
        }
    }
}

/// `LANES_API` lets unmodified scripts run with the interface that they were
/// written for.
fn wanted_by_environment() -> Option<Generation> {
    match std::env::var("LANES_API").as_deref() {
        Ok("2") => Some(Generation::V2),
        Ok("3") => Some(Generation::V3),
        Ok("4") => Some(Generation::V4),
        _ => None,
    }
}

/// Pushes the module table, made at first use. [-0, +1, e]
unsafe fn push_module(state: *mut lua_State) {
    // SAFETY: nothing is held where this raises.
    unsafe {
        let key = (&raw const MODULE).cast();
        ffi::lua_rawgetp(state, ffi::LUA_REGISTRYINDEX, key);
        if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
            return;
        }
        ffi::lua_settop(state, -2);
        ensure_context(state);
        let Some(context) = state_context::of_state(state) else {
            error(state, c"lanes is closed")
        };
        ffi::luaL_checkstack(state, 12, std::ptr::null());
        for library in [c"string", c"table"] {
            push_loaded(state, library);
            if ffi::lua_type(state, -1) != ffi::LUA_TTABLE && context.lane().is_none() {
                ffi::luaL_error(
                    state,
                    c"'%s' library not available: lanes needs it".as_ptr(),
                    library.as_ptr(),
                );
            }
            ffi::lua_settop(state, -2);
        }
        if context.generation() == Generation::V2 && context.lane().is_none() {
            soften(state);
        }
        load(state, SOURCE);
        push_core(state, context);
        ffi::lua_call(state, 1, 1);
        context.set_module(ffi::lua_topointer(state, -1));
        ffi::lua_pushvalue(state, -1);
        ffi::lua_rawsetp(state, ffi::LUA_REGISTRYINDEX, key);
    }
}

/// Pushes the table of what `lua/lanes.lua` builds upon. [-0, +1, e]
unsafe fn push_core(state: *mut lua_State, context: &Context) {
    // SAFETY: called by `push_module`.
    unsafe {
        ffi::lua_createtable(state, 0, 16);
        set_functions(
            state,
            &[
                (c"settle", settle),
                (c"configure", configure),
                (c"generator", generator::make),
                (c"linda", linda),
                (c"now_secs", now_secs),
                (c"sleep", sleep),
                (c"is_linda", is_linda),
                (c"share", crate::share::share),
            ],
        );
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
        if context.is_settled() {
            ffi::lua_pushinteger(state, context.generation() as ffi::lua_Integer);
            ffi::lua_setfield(state, -2, c"generation".as_ptr());
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

/// `configure(shutdown_timeout, strip_functions)`: settles what was checked.
unsafe extern "C-unwind" fn configure(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this.
    unsafe {
        let context = context(state);
        let timeout = ffi::luaL_checknumber(state, 1);
        let strip_functions = ffi::lua_toboolean(state, 2) != 0;
        let done = work(|| {
            let shutdown_timeout = Duration::try_from_secs_f64(timeout)
                .map_err(|_| Raise::Text("value out of range".to_owned()))?;
            context.universe().configure(Settings {
                shutdown_timeout,
                strip_functions,
            });
            Ok(lane::raw::collect_names(state, context))
        });
        match done {
            Ok(_) => 0,
            Err(why) => raise(state, context, why),
        }
    }
}

/// `linda(name, wake_period)` -> a new linda
unsafe extern "C-unwind" fn linda(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this. The object is parked while Lua may
    // raise.
    unsafe {
        let context = context(state);
        let wake_period = ffi::luaL_optnumber(state, 2, 0.0);
        if ffi::lua_type(state, 1) == ffi::LUA_TBOOLEAN {
            push_caller(state, 2);
            ffi::lua_replace(state, 1);
        }
        let name: &[u8] = match ffi::lua_type(state, 1) {
            ffi::LUA_TSTRING => lane::raw::pack::bytes_at(state, 1),
            _ => b"",
        };
        let made = work(|| {
            let wake_period = Duration::try_from_secs_f64(wake_period)
                .ok()
                .filter(|period| !period.is_zero());
            Ok(Box::new(Arc::new(Object {
                core: linda::Linda::new(),
                name: name.to_vec(),
                wake_period,
            }) as Arc<dyn Deep>))
        });
        match made {
            Ok(object) => {
                let pointer: *const Arc<dyn Deep> = &raw const *object;
                let place = context.park(lane::raw::Parked::Any(object));
                object::push(state, pointer);
                context.unpark(place);
                1
            }
            Err(why) => raise(state, context, why),
        }
    }
}

/// Pushes `source:line` of the function at this level of the stack. [-0, +1, m]
pub unsafe fn push_caller(state: *mut lua_State, level: c_int) {
    // SAFETY: the structure is ours; a few free stack slots.
    unsafe {
        let mut info: ffi::lua_Debug = std::mem::zeroed();
        if ffi::lua_getstack(state, level, &raw mut info) != 0 {
            ffi::lua_getinfo(state, c"Sl".as_ptr(), &raw mut info);
            if info.currentline > 0 {
                let source = (&raw const info.short_src).cast::<std::ffi::c_char>();
                ffi::lua_pushfstring(state, c"%s:%d".as_ptr(), source, info.currentline);
                return;
            }
        }
        push_text(state, "<unresolved>");
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
