//! `lanes.timer` and its kin, as Lua calls them.

use std::ffi::{CStr, c_int};
use std::sync::{Arc, OnceLock};

use lane::raw::{Parked, TraceLevel, flavour};
use lane::{Deep, Key};
use mlua::ffi::{self, lua_State};

use crate::args::{check_key, key, push_key};
use crate::call::{Raise, argument_error, context, error, raise, work};
use crate::selecting::{is_linda, linda_at};
use crate::timer_service::{Id, Plan, Service, now};
use crate::{handle, handle_tables, object, shared};

/// The timers of a universe, if they are on.
#[derive(Default)]
pub struct Timers {
    service: OnceLock<Arc<Service>>,
}

/// The running service. [-0, +0, e]
unsafe fn service<'a>(state: *mut lua_State) -> &'a Arc<Service> {
    // SAFETY: nothing is held; the universe lives as long as the state.
    unsafe {
        match shared::of(context(state)).timers.service.get() {
            Some(service) if !service.lane().status().is_final() => service,
            _ => error(state, c"timers are not active"),
        }
    }
}

/// `start_timers()` -> the handle of the timer lane
pub unsafe extern "C-unwind" fn start(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this; see `call` for the three parts.
    unsafe {
        let context = context(state);
        ffi::luaL_checkstack(state, 12, std::ptr::null());
        let handle = handle::push_empty(state, TraceLevel::Minimal);
        let made = work(|| {
            let universe = context.universe();
            let service = shared::of(context)
                .timers
                .service
                .get_or_init(|| Arc::new(Service::new(universe)));
            Ok(Arc::clone(service.lane()))
        });
        match made {
            Ok(lane) => (*handle).lane = Some(lane),
            Err(why) => return raise(state, context, why),
        }
        if context.universe().settings().track_lanes {
            handle_tables::remember(state);
        }
        1
    }
}

/// `timers_active()` -> whether the universe has timers
pub unsafe extern "C-unwind" fn active(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this.
    unsafe {
        let active = shared::of(context(state)).timers.service.get().is_some();
        ffi::lua_pushboolean(state, c_int::from(active));
        1
    }
}

/// `timer(linda, key, when [, period])`
pub unsafe extern "C-unwind" fn timer(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; see `call` for the three parts.
    unsafe {
        let context = context(state);
        let service = service(state);
        ffi::lua_settop(state, 4);
        if !is_linda(state, 1) {
            argument_error(state, 1, c"expecting a Linda");
        }
        check_key(state, context.generation(), 2);
        let period = ffi::luaL_optnumber(state, 4, 0.0);
        if period.is_nan() || period < 0.0 {
            argument_error(state, 4, c"the period cannot be negative");
        }
        let period = (period > 0.0).then_some(period);
        let when = match ffi::lua_type(state, 3) {
            ffi::LUA_TNIL => None,
            ffi::LUA_TTABLE => Some(calendar(state, 3)),
            _ => {
                let seconds = ffi::luaL_checknumber(state, 3);
                if seconds.is_nan() {
                    argument_error(state, 3, c"not a time (NaN)");
                }
                Some(seconds)
            }
        };
        let is_date = ffi::lua_type(state, 3) == ffi::LUA_TTABLE;
        let done = work(|| {
            let (Some(linda), Some(key)) = (linda_at(state, 1), key(state, 2)) else {
                unreachable!("both were checked")
            };
            let id = Id::new(&linda, key);
            let plan = match when {
                None => None,
                Some(when) if is_date => Some(Plan { when, period }),
                Some(0.0) => {
                    // The first event is the caller's own.
                    service.fire(&linda, &id).map_err(Raise::Text)?;
                    period.map(|step| Plan {
                        when: now() + step,
                        period,
                    })
                }
                Some(seconds) => Some(Plan {
                    when: now() + seconds,
                    period,
                }),
            };
            match plan {
                Some(plan) => service
                    .set(id, linda, plan, context.universe())
                    .map_err(Raise::Text),
                None => {
                    service.clear(&id);
                    Ok(())
                }
            }
        });
        match done {
            Ok(()) => 0,
            Err(why) => raise(state, context, why),
        }
    }
}

/// The moment that the table at `index` says, as `os.time` reads it: seconds
/// since the epoch. [-0, +0, e]
unsafe fn calendar(state: *mut lua_State, index: c_int) -> f64 {
    // SAFETY: a table at `index`; the structure is ours.
    unsafe {
        let field = |name: &CStr, default: Option<c_int>| {
            ffi::lua_getfield(state, index, name.as_ptr());
            let value = match (ffi::lua_type(state, -1), default) {
                (ffi::LUA_TNIL, Some(default)) => default,
                _ if ffi::lua_isnumber(state, -1) != 0 => ffi::lua_tonumber(state, -1) as c_int,
                _ => {
                    ffi::luaL_error(
                        state,
                        c"field '%s' missing in date table".as_ptr(),
                        name.as_ptr(),
                    );
                    unreachable!("luaL_error does not return")
                }
            };
            ffi::lua_settop(state, -2);
            value
        };
        let mut parts: libc::tm = std::mem::zeroed();
        parts.tm_year = field(c"year", None).saturating_sub(1900);
        parts.tm_mon = field(c"month", None).saturating_sub(1);
        parts.tm_mday = field(c"day", None);
        parts.tm_hour = field(c"hour", Some(12));
        parts.tm_min = field(c"min", Some(0));
        parts.tm_sec = field(c"sec", Some(0));
        ffi::lua_getfield(state, index, c"isdst".as_ptr());
        parts.tm_isdst = match ffi::lua_type(state, -1) {
            ffi::LUA_TNIL => -1,
            _ => ffi::lua_toboolean(state, -1),
        };
        ffi::lua_settop(state, -2);
        libc::mktime(&raw mut parts) as f64
    }
}

type Listed = (Arc<dyn Deep>, Key, Plan);

/// `timers()` -> a list of `{linda, key, {when [, period]}}`
pub unsafe extern "C-unwind" fn list(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; the list is parked while Lua may raise.
    unsafe {
        let context = context(state);
        let service = service(state);
        let listed: Vec<Listed> = match work(|| {
            let all = service.list().into_iter();
            Ok(all
                .map(|(linda, key, plan)| (linda as Arc<dyn Deep>, key, plan))
                .collect())
        }) {
            Ok(listed) => listed,
            Err(why) => return raise(state, context, why),
        };
        let count = listed.len();
        let entries: *const [Listed] = listed.as_slice();
        let place = context.park(Parked::Any(Box::new(listed)));
        ffi::luaL_checkstack(state, 16, std::ptr::null());
        ffi::lua_createtable(state, count as c_int, 0);
        let table = ffi::lua_gettop(state);
        for (n, (linda, key, plan)) in (*entries).iter().enumerate() {
            ffi::lua_createtable(state, 3, 0);
            object::push(state, &raw const *linda);
            flavour::raw_seti(state, table + 1, 1);
            if !push_key(state, context, key) {
                // The key was an object that is gone: nobody can mean it.
                ffi::lua_settop(state, table);
                continue;
            }
            flavour::raw_seti(state, table + 1, 2);
            ffi::lua_createtable(state, 2, 0);
            ffi::lua_pushnumber(state, plan.when);
            flavour::raw_seti(state, table + 2, 1);
            if let Some(period) = plan.period {
                ffi::lua_pushnumber(state, period);
                flavour::raw_seti(state, table + 2, 2);
            }
            flavour::raw_seti(state, table + 1, 3);
            flavour::raw_seti(state, table, n as u32 + 1);
        }
        context.unpark(place);
        1
    }
}
