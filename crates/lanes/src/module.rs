//! The module table: what `require "lanes"` returns.
//!
//! The table itself is made in Lua, by `lua/lanes.lua`, out of the functions
//! collected here.

use std::ffi::{CStr, c_int, c_void};
use std::sync::Arc;

use lane::Universe;
use lane::raw::protect::{catch, protected};
use lane::raw::{Context, Generation, Hooks, context as state_context, flavour};
use linda::Level;
use mlua::ffi::{self, lua_State};

use crate::call::{Function, error, work};
use crate::chunks::load;
use crate::shared::{self, Shared};
use crate::{base, finally, globals};

/// The source of the module table.
const SOURCE: &str = include_str!("../../../lua/lanes.lua");

/// Its parts: each is a chunk that gets the table of `core` and answers what
/// it makes of it.
const PARTS: [(&str, &str); 7] = [
    ("options", include_str!("../../../lua/options.lua")),
    ("generators", include_str!("../../../lua/generators.lua")),
    ("lindas", include_str!("../../../lua/lindas.lua")),
    ("locks", include_str!("../../../lua/locks.lua")),
    ("names", include_str!("../../../lua/names.lua")),
    ("threads", include_str!("../../../lua/threads.lua")),
    ("timers", include_str!("../../../lua/timers.lua")),
];

/// What programs for Lua 5.1 expect of later ones; see the file.
const V2_FORMAT: &str = include_str!("../../../lua/v2_format.lua");

static HOOKS: Hooks = Hooks {
    push_module,
    open_lane: globals::open_lane,
    closed,
};

/// The end of a master state: the last function of the program, and then the
/// calls of the host that wait for the lanes of this universe. [-0, +0, e]
unsafe fn closed(state: *mut lua_State, mut ended: bool) {
    unsafe fn last(state: *mut lua_State, ended: *mut c_void) -> c_int {
        // SAFETY: `closed` passes the address of its argument.
        unsafe { finally::run(state, *ended.cast()) };
        0
    }
    // SAFETY: the caller's promise; the argument outlives the call.
    unsafe {
        let status = protected(state, 0, 0, last, (&raw mut ended).cast());
        if let Some(context) = state_context::of_state(state) {
            let _ = catch(|| shared::of(context).closing.request(Level::Hard, true));
        }
        if status != ffi::LUA_OK {
            ffi::lua_error(state);
        }
    }
}

/// In the registry: the module table.
static MODULE: u8 = 0;

/// The names under which the module answers, and what each chooses.
const NAMES: [(&CStr, Function); 7] = [
    (c"lanes", open),
    (c"lanes.v2", open_v2),
    (c"lanes.v3", open_v3),
    (c"lanes.v4", open_v4),
    // What the core module of the original was called.
    (c"lanes.core", open),
    (c"lanes_core", open),
    (c"lua51-lanes", open),
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
                let table = ffi::lua_gettop(state);
                for (name, function) in NAMES {
                    ffi::lua_getfield(state, table, name.as_ptr());
                    if ffi::lua_type(state, -1) == ffi::LUA_TNIL {
                        ffi::lua_pushcfunction(state, function);
                        ffi::lua_setfield(state, table, name.as_ptr());
                    }
                    ffi::lua_settop(state, table);
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

/// Gives a state that has none a context: it becomes a master state, with a
/// universe of its own. [-0, +0, e]
pub unsafe fn ensure_context(state: *mut lua_State) {
    // SAFETY: nothing is held where something raises: the context is made when
    // nothing raises any more.
    unsafe {
        if state_context::of_state(state).is_some() {
            return;
        }
        ffi::luaL_checkstack(state, 12, std::ptr::null());
        crate::capi::publish(state);
        let mut made = true;
        state_context::install(state, || {
            let context = work(|| {
                let universe = Arc::new(Universe::new(&HOOKS, Box::new(Shared::default())));
                let context = Context::new(universe, None, Generation::V4);
                if let Some(generation) = wanted_by_environment() {
                    let _ = context.choose(generation);
                }
                Ok(Box::new(context))
            });
            context.map_or_else(
                |_| {
                    made = false;
                    std::ptr::null_mut()
                },
                Box::into_raw,
            )
        });
        if !made {
            // There is no context yet in which the panic's text could wait.
            error(
                state,
                c"internal error, please report it: see standard error",
            );
        }
    }
}

/// `LANES_API` lets unmodified scripts run with the interface that they were
/// written for.
pub(crate) fn wanted_by_environment() -> Option<Generation> {
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
        // A lane may do without, but for the base library.
        let needed: &[(&CStr, &CStr)] = match context.lane() {
            None => &[
                (c"_G", c"base"),
                (c"string", c"string"),
                (c"table", c"table"),
            ],
            Some(_) => &[(c"_G", c"base")],
        };
        for (loaded, name) in needed {
            push_loaded(state, loaded);
            if ffi::lua_type(state, -1) != ffi::LUA_TTABLE {
                ffi::luaL_error(
                    state,
                    c"'%s' library not available: lanes needs it".as_ptr(),
                    name.as_ptr(),
                );
            }
            ffi::lua_settop(state, -2);
        }
        if context.generation() == Generation::V2 && context.lane().is_none() {
            soften(state);
        }
        load(state, SOURCE);
        base::push(state, context);
        ffi::lua_call(state, 1, 1);
        preload(state);
        // What failed before this is done again by the next attempt.
        ffi::lua_pushvalue(state, -1);
        ffi::lua_rawsetp(state, ffi::LUA_REGISTRYINDEX, key);
    }
}

/// `part(name)` -> what that part of the module makes of `core`.
pub unsafe extern "C-unwind" fn part(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this, with `core` as the second argument.
    unsafe {
        let name = lane::raw::pack::bytes_at(state, 1);
        for (known, source) in PARTS {
            if known.as_bytes() == name {
                load(state, source);
                ffi::lua_pushvalue(state, 2);
                ffi::lua_call(state, 1, 1);
                return 1;
            }
        }
        error(state, c"lanes has no such part")
    }
}
