//! All lanes of the universe: `threads` and `cancel_all`.

use std::ffi::c_int;
use std::sync::Arc;

use lane::raw::{Parked, flavour};
use lane::{Lane, raw};
use linda::{Deadline, Level};
use mlua::ffi::{self, lua_State};

use crate::args::deadline;
use crate::call::{argument_error, context, error, push_text, raise, work};
use crate::handle_tables;
use crate::outcome;

/// `threads()` -> a list of `{name=, status=[, handle=]}`, newest first;
/// nothing when there are none
pub unsafe extern "C-unwind" fn threads(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; the list is parked while Lua may raise.
    unsafe {
        let context = context(state);
        let lanes = match work(|| Ok(context.universe().tracked())) {
            Ok(Some(lanes)) => lanes,
            Ok(None) => error(state, c"lane tracking is not available"),
            Err(why) => return raise(state, context, why),
        };
        if lanes.is_empty() {
            return 0;
        }
        let names: Vec<Vec<u8>> = lanes.iter().map(|lane| lane.name_bytes()).collect();
        let count = lanes.len();
        let list = Box::new((lanes, names));
        let entries: *const (Vec<Arc<Lane>>, Vec<Vec<u8>>) = &raw const *list;
        let place = context.park(Parked::Any(list));
        ffi::luaL_checkstack(state, 12, std::ptr::null());
        handle_tables::push_by_lane(state);
        let handles = ffi::lua_gettop(state);
        ffi::lua_createtable(state, count as c_int, 0);
        let table = ffi::lua_gettop(state);
        for (n, (lane, name)) in (*entries).0.iter().zip(&(*entries).1).enumerate() {
            ffi::lua_createtable(state, 0, 3);
            flavour::push_bytes(state, name);
            ffi::lua_setfield(state, table + 1, c"name".as_ptr());
            push_text(state, outcome::status_word(lane, context.generation()));
            ffi::lua_setfield(state, table + 1, c"status".as_ptr());
            ffi::lua_pushnumber(state, lane.id() as ffi::lua_Number);
            ffi::lua_rawget(state, handles);
            ffi::lua_setfield(state, table + 1, c"handle".as_ptr());
            // Weak: a list that is kept must not keep the handles.
            ffi::lua_createtable(state, 0, 1);
            push_text(state, "v");
            ffi::lua_setfield(state, -2, c"__mode".as_ptr());
            ffi::lua_setmetatable(state, table + 1);
            flavour::raw_seti(state, table, n as u32 + 1);
        }
        context.unpark(place);
        1
    }
}

/// `cancel_all([mode [, timeout]])` -> whether all lanes but the caller's have
/// ended; `false, "timeout"` if not
pub unsafe extern "C-unwind" fn cancel_all(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; see `call` for the three parts.
    unsafe {
        let context = context(state);
        let level = match ffi::lua_type(state, 1) {
            ffi::LUA_TNIL | ffi::LUA_TNONE => Level::Hard,
            ffi::LUA_TSTRING if raw::pack::bytes_at(state, 1) == b"hard" => Level::Hard,
            ffi::LUA_TSTRING if raw::pack::bytes_at(state, 1) == b"soft" => Level::Soft,
            _ => argument_error(state, 1, c"the mode is 'soft' or 'hard'"),
        };
        let limit = match ffi::lua_type(state, 2) {
            ffi::LUA_TNIL | ffi::LUA_TNONE => Deadline::never(),
            _ => {
                ffi::luaL_checknumber(state, 2);
                deadline(state, context.generation(), 2)
            }
        };
        let ended = work(|| {
            let me = context.lane().map(|lane| lane.id());
            let mut lanes = context.universe().lanes();
            lanes.retain(|lane| Some(lane.id()) != me);
            for lane in &lanes {
                lane.request(level, true);
            }
            Ok(lanes.iter().all(|lane| lane.wait(limit).is_some()))
        });
        match ended {
            Ok(true) => {
                ffi::lua_pushboolean(state, 1);
                1
            }
            Ok(false) => {
                ffi::lua_pushboolean(state, 0);
                push_text(state, "timeout");
                2
            }
            Err(why) => raise(state, context, why),
        }
    }
}
