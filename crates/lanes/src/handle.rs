//! Lane handles: the owner's side of a lane.

use std::ffi::{CStr, c_int, c_void};
use std::sync::Arc;

use lane::raw::pack::{self, Names, SLOTS, bytes_at};
use lane::raw::protect::discard;
use lane::raw::unpack::{self, Fault};
use lane::raw::{
    Generation, Parked, TraceLevel, context as state_context, deep, flavour, sentinel,
};
use lane::{End, Lane, Status};
use linda::Deadline;
use mlua::ffi::{self, lua_State};

use crate::args::deadline;
use crate::call::{
    argument_error, context, error, push_function, push_text, raise, raise_fault, set_functions,
    work,
};
use crate::cancelling::cancel;
use crate::handle_tables::push_callback;
use crate::outcome;

/// The payload of a handle: nothing until its lane was started.
pub struct Handle {
    pub lane: Option<Arc<Lane>>,
    pub level: TraceLevel,
    /// Every how many instructions the lane looks for a hard request
    /// (`cancelstep` of older generations).
    pub step: Option<c_int>,
}

static METATABLE: u8 = 0;

/// Pushes a handle without a lane yet. [-0, +1, e]
///
/// # Safety
/// Eight free stack slots.
pub unsafe fn push_empty(state: *mut lua_State, level: TraceLevel) -> *mut Handle {
    // SAFETY: the payload is filled before the metatable with `__gc` is set,
    // and nothing in between raises.
    unsafe {
        push_metatable(state);
        let payload = flavour::new_userdata(state, size_of::<Handle>()).cast::<Handle>();
        payload.write(Handle {
            lane: None,
            level,
            step: None,
        });
        ffi::lua_insert(state, -2);
        ffi::lua_setmetatable(state, -2);
        state_context::renew_guard(state);
        payload
    }
}

/// The lane of the handle at index 1. [-0, +0, e]
///
/// # Safety
/// Two free stack slots; nothing with a destructor is held.
pub unsafe fn this<'a>(state: *mut lua_State) -> (&'a Lane, TraceLevel) {
    // SAFETY: a userdata with our metatable has our payload.
    unsafe {
        if ffi::lua_type(state, 1) == ffi::LUA_TUSERDATA && deep::is_handle(state, 1) {
            let handle = &*ffi::lua_touserdata(state, 1).cast::<Handle>();
            if let Some(lane) = &handle.lane {
                return (lane, handle.level);
            }
        }
        argument_error(state, 1, c"expecting a lane handle")
    }
}

/// `__gc`: the lane goes on without its handle.
unsafe extern "C-unwind" fn collect(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this once, with a handle; without its metatable the
    // userdata is none any more, whoever still has it. The name is parked while
    // Lua may raise.
    unsafe {
        let payload = ffi::lua_touserdata(state, 1).cast::<Handle>();
        if payload.is_null() {
            return 0;
        }
        ffi::lua_settop(state, 1);
        ffi::lua_pushnil(state);
        ffi::lua_setmetatable(state, 1);
        let lane = (*payload).lane.take();
        let Some(lane) = lane else {
            // It was never started; nobody is told, but the address may serve
            // another handle.
            if push_callback(state, payload.cast()) {
                ffi::lua_pushnil(state);
                ffi::lua_rawsetp(state, 2, payload.cast());
            }
            return 0;
        };
        let status = if lane.status().is_final() {
            "closed"
        } else {
            "selfdestruct"
        };
        lane.disown();
        let name = lane.name_bytes();
        discard(lane);
        // The table at 2, the function at 3.
        if !push_callback(state, payload.cast()) {
            return 0;
        }
        let Some(context) = state_context::of_state(state) else {
            return 0;
        };
        let bytes: *const [u8] = name.as_slice();
        let place = context.park(Parked::Any(Box::new(name)));
        ffi::lua_pushnil(state);
        ffi::lua_rawsetp(state, 2, payload.cast());
        flavour::push_bytes(state, &*bytes);
        context.unpark(place);
        push_text(state, status);
        ffi::lua_call(state, 2, 0);
        0
    }
}

/// What the handle keeps of the end, once it was asked for: a table in its
/// user value. Field `kind` says how the lane ended; the results stand at
/// `1..n`, the error and its trace at 1 and 2.
mod kept {
    pub const COUNT: u32 = 1;
    pub const FIRST: u32 = 2;
}

/// Waits for the end; then pushes the table of kept values. Answers the status,
/// or nothing at the deadline. [-0, +(0|1), e]
unsafe fn wait(state: *mut lua_State, deadline: Deadline) -> Option<Status> {
    // SAFETY: a handle at index 1; the end is parked while Lua may raise.
    unsafe {
        let context = context(state);
        let (lane, _) = this(state);
        let end = match work(|| Ok(lane.join(deadline))) {
            Ok(end) => end?,
            Err(why) => {
                raise(state, context, why);
                return None;
            }
        };
        let status = lane.status();
        let shared: *const End = &*end;
        let place = context.park(Parked::Any(Box::new(end)));
        ffi::luaL_checkstack(state, 12, std::ptr::null());
        flavour::get_user_value(state, 1);
        if is_kept(state, -1) {
            context.unpark(place);
            return Some(status);
        }
        ffi::lua_settop(state, -2);
        let top = ffi::lua_gettop(state);
        ffi::lua_createtable(state, 4, 0);
        match &*shared {
            End::Cancelled => {
                ffi::lua_pushinteger(state, 0);
                flavour::raw_seti(state, top + 1, kept::COUNT);
            }
            End::Done(Ok(message)) => keep(state, context, top + 1, message),
            End::Done(Err(text)) => {
                let text: *const str = text.as_str();
                ffi::luaL_where(state, 1);
                push_text(state, &*text);
                context.unpark(place);
                ffi::lua_concat(state, 2);
                ffi::lua_error(state);
            }
            End::Error(value, trace) => {
                ffi::lua_pushinteger(state, 2);
                flavour::raw_seti(state, top + 1, kept::COUNT);
                match value {
                    Ok(message) => push_one(state, context, message),
                    Err(text) => push_text(state, text),
                }
                flavour::raw_seti(state, top + 1, kept::FIRST);
                if let Some(trace) = trace {
                    push_one(state, context, trace);
                    flavour::raw_seti(state, top + 1, kept::FIRST + 1);
                }
            }
        }
        context.unpark(place);
        // Marked by its own address, which no other table has.
        ffi::lua_pushlightuserdata(state, (&raw const METATABLE).cast_mut().cast());
        ffi::lua_pushboolean(state, 1);
        ffi::lua_rawset(state, top + 1);
        ffi::lua_pushvalue(state, top + 1);
        flavour::set_user_value(state, 1);
        Some(status)
    }
}

/// Whether the value at `index` is a table that [`wait`] has made: before it
/// did, the user value is whatever the flavour puts there.
unsafe fn is_kept(state: *mut lua_State, index: c_int) -> bool {
    // SAFETY: two free stack slots.
    unsafe {
        if ffi::lua_type(state, index) != ffi::LUA_TTABLE {
            return false;
        }
        ffi::lua_rawgetp(state, index, (&raw const METATABLE).cast());
        let is = ffi::lua_toboolean(state, -1) != 0;
        ffi::lua_settop(state, -2);
        is
    }
}

/// Keeps the values of a message in the table at `table`. [-0, +0, e]
unsafe fn keep(
    state: *mut lua_State,
    context: &lane::raw::Context,
    table: c_int,
    message: *const lane::Message,
) {
    // SAFETY: the message is parked.
    unsafe {
        let count = match unpack::message(state, context, message, true) {
            Ok(count) => count,
            Err(fault) => {
                raise_fault(state, fault);
                return;
            }
        };
        for n in (0..count).rev() {
            flavour::raw_seti(state, table, kept::FIRST + n as u32);
        }
        ffi::lua_pushinteger(state, ffi::lua_Integer::from(count));
        flavour::raw_seti(state, table, kept::COUNT);
    }
}

/// Pushes the one value of a message, or what is wrong with it. [-0, +1, e]
unsafe fn push_one(
    state: *mut lua_State,
    context: &lane::raw::Context,
    message: *const lane::Message,
) {
    // SAFETY: the message is parked.
    unsafe {
        let top = ffi::lua_gettop(state);
        match unpack::message(state, context, message, true) {
            Ok(_) => ffi::lua_settop(state, top + 1),
            Err(fault) => {
                if fault == Fault::Malformed {
                    unpack::push_fault(state, fault);
                }
                ffi::lua_replace(state, top + 1);
                ffi::lua_settop(state, top + 1);
            }
        }
    }
}

unsafe fn kept_count(state: *mut lua_State, table: c_int) -> c_int {
    // SAFETY: a table of `wait` at `table`.
    unsafe {
        flavour::raw_geti(state, table, kept::COUNT);
        let count = ffi::lua_tointeger(state, -1) as c_int;
        ffi::lua_settop(state, -2);
        count
    }
}

unsafe extern "C-unwind" fn join(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this.
    unsafe {
        let generation = context(state).generation();
        let (_, level) = this(state);
        let deadline = match ffi::lua_type(state, 2) {
            ffi::LUA_TNIL | ffi::LUA_TNONE => Deadline::never(),
            ffi::LUA_TNUMBER => deadline(state, generation, 2),
            ffi::LUA_TSTRING
                if generation != Generation::V4 && ffi::lua_isnumber(state, 2) != 0 =>
            {
                deadline(state, generation, 2)
            }
            _ => argument_error(state, 2, c"incorrect duration type"),
        };
        ffi::lua_settop(state, 1);
        let Some(status) = wait(state, deadline) else {
            return outcome::join_timed_out(state, generation);
        };
        let table = ffi::lua_gettop(state);
        match status {
            Status::Cancelled => {
                outcome::lane_cancelled(state, generation, this(state).0.was_forced())
            }
            Status::Error => {
                ffi::lua_pushnil(state);
                flavour::raw_geti(state, table, kept::FIRST);
                if generation == Generation::V4 && level == TraceLevel::Minimal {
                    return 2;
                }
                flavour::raw_geti(state, table, kept::FIRST + 1);
                3
            }
            _ => {
                let count = kept_count(state, table);
                lane::raw::protect::reserve(state, count + 2);
                if generation == Generation::V4 {
                    ffi::lua_pushboolean(state, 1);
                }
                for n in 0..count {
                    flavour::raw_geti(state, table, kept::FIRST + n as u32);
                }
                count + c_int::from(generation == Generation::V4)
            }
        }
    }
}

/// `h[n]`: waits, then gives a result or raises the lane's error.
unsafe fn index_number(state: *mut lua_State, generation: Generation) -> c_int {
    // SAFETY: a handle at index 1 and a number at index 2.
    unsafe {
        let n = ffi::lua_tonumber(state, 2);
        ffi::lua_settop(state, 1);
        let Some(status) = wait(state, Deadline::never()) else {
            return 0;
        };
        let table = ffi::lua_gettop(state);
        let modern = generation == Generation::V4;
        match status {
            Status::Error if n < 0.0 && (modern || n == -1.0) => {
                flavour::raw_geti(state, table, kept::FIRST);
            }
            Status::Error => {
                flavour::raw_geti(state, table, kept::FIRST);
                return raise_value(state, modern);
            }
            _ if n < 0.0 || n.fract() != 0.0 => ffi::lua_pushnil(state),
            Status::Cancelled
                if n == 2.0 && outcome::status_word(this(state).0, generation) == "killed" =>
            {
                push_text(state, "killed");
            }
            Status::Cancelled if modern => match n {
                0.0 => ffi::lua_pushinteger(state, 2),
                2.0 => ffi::lua_pushlightuserdata(state, sentinel::cancel_error()),
                _ => ffi::lua_pushnil(state),
            },
            _ if n == 0.0 && modern => {
                ffi::lua_pushinteger(state, ffi::lua_Integer::from(kept_count(state, table)))
            }
            _ if n == 0.0 => ffi::lua_pushboolean(state, 1),
            _ if n > f64::from(kept_count(state, table)) => ffi::lua_pushnil(state),
            _ => flavour::raw_geti(state, table, kept::FIRST + n as u32 - 1),
        }
        1
    }
}

/// Raises the value on top as the reader's error: a text with the reader's
/// position in front, anything else as it is, where the flavour allows it.
unsafe fn raise_value(state: *mut lua_State, modern: bool) -> c_int {
    // SAFETY: a value on top; nothing is held.
    unsafe {
        let text = ffi::lua_type(state, -1) == ffi::LUA_TSTRING;
        if !text && modern && cfg!(not(feature = "lua51")) {
            ffi::lua_error(state);
        }
        if !text {
            ffi::luaL_tolstring(state, -1, std::ptr::null_mut());
        }
        ffi::luaL_where(state, 1);
        ffi::lua_insert(state, -2);
        ffi::lua_concat(state, 2);
        ffi::lua_error(state)
    }
}

unsafe extern "C-unwind" fn index(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this with the handle and a key.
    unsafe {
        let generation = context(state).generation();
        let (lane, level) = this(state);
        match ffi::lua_type(state, 2) {
            ffi::LUA_TNUMBER => return index_number(state, generation),
            ffi::LUA_TSTRING => {}
            _ => {
                let shown = ffi::luaL_tolstring(state, 2, std::ptr::null_mut());
                return ffi::luaL_error(state, c"Unknown key: %s".as_ptr(), shown);
            }
        }
        ffi::lua_pushvalue(state, 2);
        ffi::lua_rawget(state, ffi::lua_upvalueindex(2));
        if ffi::lua_type(state, -1) != ffi::LUA_TNIL {
            return 1;
        }
        match bytes_at(state, 2) {
            b"status" => {
                push_text(state, outcome::status_word(lane, generation));
                1
            }
            b"error_trace_level" if generation == Generation::V4 => {
                push_text(state, level_word(level));
                1
            }
            _ if generation == Generation::V2 => 0,
            _ => {
                let shown = ffi::lua_tostring(state, 2);
                let text = if generation == Generation::V3 {
                    c"can't index a lane with '%s'"
                } else {
                    c"unknown field '%s'"
                };
                ffi::luaL_error(state, text.as_ptr(), shown)
            }
        }
    }
}

/// The words for the levels of traces.
pub const LEVELS: [(TraceLevel, &str); 3] = [
    (TraceLevel::Minimal, "minimal"),
    (TraceLevel::Basic, "basic"),
    (TraceLevel::Extended, "extended"),
];

fn level_word(level: TraceLevel) -> &'static str {
    match level {
        TraceLevel::Minimal => "minimal",
        TraceLevel::Basic => "basic",
        TraceLevel::Extended => "extended",
    }
}

unsafe extern "C-unwind" fn new_index(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this.
    unsafe { error(state, c"a lane handle has no fields that can be written") }
}

unsafe extern "C-unwind" fn get_threadname(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; the name is parked while Lua may raise.
    unsafe {
        let context = context(state);
        let (lane, _) = this(state);
        if ffi::lua_gettop(state) > 1 {
            error(state, c"too many arguments");
        }
        let name = lane.name_bytes();
        let bytes: *const [u8] = name.as_slice();
        let place = context.park(Parked::Any(Box::new(name)));
        flavour::push_bytes(state, &*bytes);
        context.unpark(place);
        1
    }
}

/// `resume(…)` -> what the lane yielded
unsafe extern "C-unwind" fn resume(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; see `call` for the three parts.
    unsafe {
        let context = context(state);
        let (lane, _) = this(state);
        if !lane.is_coroutine() {
            error(state, NOT_SUSPENDED);
        }
        let count = ffi::lua_gettop(state) - 1;
        lane::raw::protect::reserve(state, SLOTS);
        let yielded = work(|| {
            let values = pack::together(state, context, 2, count, Names::Argument(1))
                .map_err(|refusal| format!("Failed to send resumed values: {}", refusal.0))?;
            match lane.resume(values) {
                Some(Err(text)) => Err(format!("Failed to retrieve yielded values: {text}").into()),
                Some(Ok(message)) => Ok(Some(message)),
                None => Ok(None),
            }
        });
        match yielded {
            Ok(Some(message)) => match unpack::deliver(state, context, message) {
                Ok(count) => count,
                Err(fault) => raise_fault(state, fault),
            },
            Ok(None) => error(state, NOT_SUSPENDED),
            Err(why) => raise(state, context, why),
        }
    }
}

const NOT_SUSPENDED: &CStr = c"cannot resume non-suspended coroutine Lane";

/// `__close`: waits for the end of the lane, whatever it is.
unsafe extern "C-unwind" fn close(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this with the handle.
    unsafe {
        let context = context(state);
        let (lane, _) = this(state);
        match work(|| {
            lane.join(Deadline::never());
            Ok(())
        }) {
            Ok(()) => 0,
            Err(why) => raise(state, context, why),
        }
    }
}

/// Pushes the metatable of handles, made at first use. [-0, +1, e]
///
/// # Safety
/// Eight free stack slots.
pub unsafe fn push_metatable(state: *mut lua_State) {
    // SAFETY: the caller's promise; nothing is held.
    unsafe {
        let registry_key = (&raw const METATABLE).cast::<c_void>();
        ffi::lua_rawgetp(state, ffi::LUA_REGISTRYINDEX, registry_key);
        if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
            return;
        }
        ffi::lua_settop(state, -2);
        let generation = state_context::of_state(state).map(lane::raw::Context::generation);
        ffi::lua_createtable(state, 0, 8);
        let table = ffi::lua_gettop(state);
        deep::mark_handles(state);
        ffi::lua_createtable(state, 0, 4);
        set_functions(state, &[(c"join", join), (c"cancel", cancel)]);
        if generation != Some(Generation::V2) {
            set_functions(state, &[(c"resume", resume)]);
        }
        match generation {
            Some(Generation::V2) => {}
            Some(Generation::V3) => {
                set_functions(state, &[(c"get_debug_threadname", get_threadname)])
            }
            _ => set_functions(state, &[(c"get_threadname", get_threadname)]),
        }
        push_function(state, index, 1);
        ffi::lua_setfield(state, table, c"__index".as_ptr());
        set_functions(state, &[(c"__newindex", new_index), (c"__close", close)]);
        ffi::lua_pushcfunction(state, collect);
        ffi::lua_setfield(state, table, c"__gc".as_ptr());
        if generation == Some(Generation::V2) {
            ffi::lua_pushboolean(state, 0);
        } else {
            push_text(state, "Lane");
        }
        ffi::lua_setfield(state, table, c"__metatable".as_ptr());
        push_text(state, "Lane");
        ffi::lua_setfield(state, table, c"__name".as_ptr());
        ffi::lua_pushvalue(state, table);
        ffi::lua_rawsetp(state, ffi::LUA_REGISTRYINDEX, registry_key);
    }
}
