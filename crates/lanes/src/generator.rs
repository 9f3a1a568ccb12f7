//! Generators: what `lanes.gen` returns, and what happens when it is called.

use std::ffi::{CStr, c_int};

use lane::raw::pack::{SLOTS, bytes_at};
use lane::raw::protect::{discard, reserve};
use lane::raw::{Body, Generation, Launch, Libraries, LibrariesError, TraceLevel, launch as start};
use lane::thread::Priority;
use mlua::ffi::{self, lua_State};

use crate::call::{Raise, context, error, push_function, push_text, raise, work};
use crate::creation::push_caller;
use crate::handle::{LEVELS, push_empty};
use crate::handle_tables;
use crate::module::push_loaded;
use crate::thread::check_priority;

/// What a generator keeps beside its Lua values.
struct Plan {
    libraries: Libraries,
    level: TraceLevel,
}

unsafe extern "C-unwind" fn collect(state: *mut lua_State) -> c_int {
    // SAFETY: only plans have this, and Lua calls it once.
    unsafe {
        let plan = ffi::lua_touserdata(state, 1).cast::<Option<Plan>>();
        if !plan.is_null() {
            discard((*plan).take());
        }
        0
    }
}

/// What each generation says of a bad specification.
fn complaint(error: &LibrariesError, generation: Generation) -> String {
    let modern = generation == Generation::V4;
    match error {
        LibrariesError::Unknown(name) if modern => format!("Bad library name: \"{name}\""),
        LibrariesError::Unknown(name) => format!("Bad library name: {name}"),
        LibrariesError::Twice(name) if modern => {
            format!("Libs specification contains \"{name}\" more than once")
        }
        LibrariesError::Twice(name) => {
            format!("libs specification contains '{name}' more than once")
        }
        LibrariesError::Unsupported(name) => format!("Unsupported library: \"{name}\""),
        LibrariesError::NotAlone => "Libs specification '*' must be used alone".to_owned(),
    }
}

/// `generator(libraries or nil, options, body)` -> generator, or nil and a text
pub unsafe extern "C-unwind" fn make(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this; see `call` for the three parts. The
    // plan is written only when nothing can raise any more before its `__gc`
    // is set.
    unsafe {
        let context = context(state);
        let generation = context.generation();
        ffi::lua_settop(state, 3);
        ffi::lua_getfield(state, 2, c"error_trace_level".as_ptr());
        let level = match ffi::lua_type(state, 4) {
            ffi::LUA_TSTRING => {
                let word = bytes_at(state, 4);
                LEVELS
                    .iter()
                    .find(|(_, name)| name.as_bytes() == word)
                    .map_or(TraceLevel::Minimal, |(level, _)| *level)
            }
            _ if generation == Generation::V4 => TraceLevel::Minimal,
            _ => TraceLevel::Basic,
        };
        ffi::lua_createtable(state, 0, 1); // 5: metatable
        ffi::lua_pushcfunction(state, collect);
        ffi::lua_setfield(state, 5, c"__gc".as_ptr());
        let plan = lane::raw::flavour::new_userdata(state, size_of::<Option<Plan>>())
            .cast::<Option<Plan>>(); // 6
        let text = if ffi::lua_type(state, 1) == ffi::LUA_TSTRING {
            Some(bytes_at(state, 1))
        } else {
            None
        };
        let result = work(|| {
            let Some(text) = text else {
                return Ok(Libraries::None);
            };
            Libraries::parse(&String::from_utf8_lossy(text), generation)
                .map_err(|error| Raise::Text(complaint(&error, generation)))
        });
        match result {
            Ok(libraries) => {
                plan.write(Some(Plan { libraries, level }));
                ffi::lua_pushvalue(state, 5);
                ffi::lua_setmetatable(state, 6);
                ffi::lua_pushvalue(state, 3);
                ffi::lua_pushvalue(state, 2);
                push_function(state, launch, 3);
                1
            }
            Err(Raise::Text(text)) => {
                let bytes: *const [u8] = text.as_bytes();
                let place = context.park(lane::raw::Parked::Text(text));
                ffi::lua_pushnil(state);
                lane::raw::flavour::push_bytes(state, &*bytes);
                context.unpark(place);
                2
            }
            Err(why) => raise(state, context, why),
        }
    }
}

// The upvalues of a generator; the first is the context.
const PLAN: c_int = 2;
const BODY: c_int = 3;
const OPTIONS: c_int = 4;

/// Pushes an option and answers its index, if it was given. [-0, +1, e]
unsafe fn option(state: *mut lua_State, name: &CStr) -> Option<c_int> {
    // SAFETY: called by `launch`.
    unsafe {
        ffi::lua_getfield(state, ffi::lua_upvalueindex(OPTIONS), name.as_ptr());
        (ffi::lua_type(state, -1) > ffi::LUA_TNIL).then(|| ffi::lua_gettop(state))
    }
}

/// `generator(...)` -> a handle: starts a lane.
unsafe extern "C-unwind" fn launch(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; see `call` for the three parts. The handle is
    // made first, so that nothing can fail once the lane runs.
    unsafe {
        let context = context(state);
        let plan = ffi::lua_touserdata(state, ffi::lua_upvalueindex(PLAN)).cast::<Option<Plan>>();
        // A finalizer of the program may call a generator that was finalized.
        let Some(plan) = &*plan else {
            error(state, c"this generator is closed: the state is ending")
        };
        let count = ffi::lua_gettop(state);
        reserve(state, SLOTS + 16);
        let handle = push_empty(state, plan.level);
        let at = ffi::lua_gettop(state);
        if let Some(callback) = option(state, c"gc_cb") {
            ffi::lua_settop(state, callback);
            handle_tables::on_collect(state);
        }
        ffi::lua_settop(state, at);
        if context.universe().settings().track_lanes {
            handle_tables::remember(state);
        }
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(BODY));
        let body = match ffi::lua_type(state, at + 1) {
            ffi::LUA_TSTRING => Body::Source(at + 1),
            _ => Body::Function(at + 1),
        };
        let globals = option(state, c"globals");
        let required = option(state, c"required");
        let package = option(state, c"package").or_else(|| {
            push_loaded(state, c"package");
            (ffi::lua_type(state, -1) == ffi::LUA_TTABLE).then(|| ffi::lua_gettop(state))
        });
        let name = option(state, c"name");
        if let Some(index) = name
            && bytes_at(state, index) == b"auto"
        {
            push_auto_name(state, body);
            ffi::lua_replace(state, index);
        }
        let priority = priority(state);
        let coroutine = option(state, c"coroutine").is_some();
        (*handle).step = option(state, c"cancelstep").map(|index| {
            // Checked: at least 1.
            ffi::lua_tonumber(state, index) as c_int
        });
        let result = work(|| {
            let launch = Launch {
                libraries: &plan.libraries,
                name: name.map(|index| bytes_at(state, index).to_vec()),
                body,
                first: 1,
                count,
                globals,
                required,
                package,
                level: plan.level,
                priority,
                coroutine,
            };
            Ok(start(state, context, launch)?)
        });
        match result {
            Ok(lane) => {
                (*handle).lane = Some(lane);
                ffi::lua_pushvalue(state, at);
                1
            }
            Err(why) => raise(state, context, why),
        }
    }
}

/// The priority that the options ask for. [-0, +1, e]
unsafe fn priority(state: *mut lua_State) -> Option<Priority> {
    // SAFETY: called by `launch`, where nothing is held yet.
    unsafe {
        let text = c"Priority out of range";
        if let Some(index) = option(state, c"native_priority") {
            return Some(check_priority(state, index, true, text));
        }
        option(state, c"priority").map(|index| check_priority(state, index, false, text))
    }
}

/// Pushes the name that a lane gets from its body: where it was defined, or
/// for a source text where the lane is started. [-0, +1, e]
unsafe fn push_auto_name(state: *mut lua_State, body: Body) {
    // SAFETY: called by `launch`.
    unsafe {
        let Body::Function(index) = body else {
            push_caller(state, 1);
            return;
        };
        let mut info: ffi::lua_Debug = std::mem::zeroed();
        ffi::lua_pushvalue(state, index);
        ffi::lua_getinfo(state, c">S".as_ptr(), &raw mut info);
        let source = (&raw const info.short_src).cast::<std::ffi::c_char>();
        if info.linedefined > 0 {
            ffi::lua_pushfstring(state, c"%s:%d".as_ptr(), source, info.linedefined);
        } else {
            push_text(state, "<unresolved>");
        }
    }
}
