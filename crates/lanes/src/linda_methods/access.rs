//! The methods that never block and look at one slot: `set`, `get`, `limit`,
//! `restrict`.

use std::ffi::c_int;

use lane::raw::unpack::deliver_all;
use lane::raw::{Generation, pack};
use linda::{AccessError, Change, Restriction, Status};
use mlua::ffi::{self, lua_State};

use super::{RESTRICTED, both, generation, packed, room, room_for_values};
use crate::args::{check_key, integer, key};
use crate::call::{Raise, argument_error, error, push_text, raise, raise_fault, work};
use crate::object::Proxy;
use crate::outcome;

/// What an operation that never blocks returns, or raises.
unsafe fn changed<const G: u8>(
    state: *mut lua_State,
    context: &lane::raw::Context,
    result: Result<Result<Change, AccessError>, Raise>,
) -> c_int {
    // SAFETY: nothing is held.
    unsafe {
        match result {
            Ok(Ok(change)) => outcome::changed(state, generation::<G>(), change),
            Ok(Err(AccessError::Cancelled)) => outcome::cancelled(state, generation::<G>(), false),
            Ok(Err(AccessError::Restricted)) => raise(state, context, RESTRICTED.to_owned().into()),
            Err(why) => raise(state, context, why),
        }
    }
}

pub(super) unsafe extern "C-unwind" fn set<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; see `call` for the three parts.
    unsafe {
        let (context, proxy) = both::<G>(state);
        check_key(state, generation::<G>(), 2);
        let mut last = ffi::lua_gettop(state);
        if G == 2 {
            // One value only, and nil removes.
            last = if ffi::lua_type(state, 3) <= ffi::LUA_TNIL {
                2
            } else {
                3
            };
        }
        room(state, 3, last);
        let result = work(|| {
            let values = packed(state, context, 3, last)?;
            let linda = &proxy.object;
            Ok(linda.core.set(proxy.slot(state, 2), values))
        });
        changed::<G>(state, context, result)
    }
}

pub(super) unsafe extern "C-unwind" fn get<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; see `call` for the three parts.
    unsafe {
        let (context, proxy) = both::<G>(state);
        check_key(state, generation::<G>(), 2);
        let count = if G == 2 {
            1
        } else {
            ffi::luaL_optinteger(state, 3, 1)
        };
        if count < 1 {
            argument_error(state, 3, c"count should be >= 1");
        }
        if G != 2 && ffi::lua_gettop(state) > 3 {
            error(state, c"too many arguments");
        }
        let count = count.min(room_for_values(state));
        let result = work(|| {
            let linda = &proxy.object;
            match linda.core.get(proxy.slot(state, 2), count as usize) {
                Err(AccessError::Restricted) => Err(RESTRICTED.to_owned().into()),
                other => Ok(other),
            }
        });
        match result {
            Ok(Ok(messages)) => {
                let found = messages.len() as c_int;
                if G == 4 {
                    ffi::lua_pushinteger(state, ffi::lua_Integer::from(found));
                }
                match deliver_all(state, context, messages, false) {
                    Ok(count) => count + c_int::from(G == 4),
                    Err(fault) => raise_fault(state, fault),
                }
            }
            Ok(Err(_)) => outcome::cancelled(state, generation::<G>(), false),
            Err(why) => raise(state, context, why),
        }
    }
}

pub(super) unsafe extern "C-unwind" fn limit<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; see `call` for the three parts.
    unsafe {
        let (context, proxy) = both::<G>(state);
        check_key(state, generation::<G>(), 2);
        let given = ffi::lua_gettop(state);
        if given > 3 || G != 4 && given < 3 {
            error(state, c"wrong number of arguments");
        }
        if given == 2 {
            return read_limit(state, context, proxy);
        }
        let text = ffi::lua_type(state, 3) == ffi::LUA_TSTRING;
        let limit = if G == 4 && text && pack::bytes_at(state, 3) == b"unlimited" {
            None
        } else {
            let n = integer(state, 3);
            if n < 0 && G == 4 {
                argument_error(state, 3, c"limit must be >= 0");
            }
            usize::try_from(n).ok()
        };
        let result = work(|| {
            let linda = &proxy.object;
            Ok(linda.core.set_limit(proxy.slot(state, 2), limit))
        });
        changed::<G>(state, context, result)
    }
}

/// `limit(key)`: the limit and the fill, without making the slot.
unsafe fn read_limit(state: *mut lua_State, context: &lane::raw::Context, proxy: &Proxy) -> c_int {
    // SAFETY: called by `limit`, with a checked key at index 2.
    unsafe {
        let result = work(|| {
            let key = key(state, 2).expect("a key that was checked");
            Ok(match proxy.object.core.existing(&key) {
                Some(slot) => proxy.object.core.limit(&slot),
                None if proxy.object.core.status() == Status::Cancelled => {
                    Err(AccessError::Cancelled)
                }
                None => Ok((None, linda::Fill::Under)),
            })
        });
        match result {
            Ok(Ok((limit, fill))) => {
                match limit {
                    Some(limit) => ffi::lua_pushinteger(state, limit as ffi::lua_Integer),
                    None => push_text(state, "unlimited"),
                }
                push_text(state, outcome::fill_word(fill));
                2
            }
            Ok(Err(_)) => outcome::cancelled(state, Generation::V4, false),
            Err(why) => raise(state, context, why),
        }
    }
}

const MODES: [(Restriction, &str); 3] = [
    (Restriction::None, "none"),
    (Restriction::SetGet, "set/get"),
    (Restriction::SendReceive, "send/receive"),
];

pub(super) fn mode_word(restriction: Restriction) -> &'static str {
    match restriction {
        Restriction::None => "none",
        Restriction::SetGet => "set/get",
        Restriction::SendReceive => "send/receive",
    }
}

pub(super) unsafe extern "C-unwind" fn restrict<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; see `call` for the three parts.
    unsafe {
        let (context, proxy) = both::<G>(state);
        check_key(state, generation::<G>(), 2);
        let given = ffi::lua_gettop(state);
        if given > 3 {
            error(state, c"wrong number of arguments");
        }
        let mut mode = None;
        if given == 3 {
            let text = ffi::lua_type(state, 3) == ffi::LUA_TSTRING;
            mode = MODES
                .iter()
                .find(|(_, word)| text && pack::bytes_at(state, 3) == word.as_bytes());
            if mode.is_none() {
                argument_error(state, 3, c"unknown restrict mode");
            }
        }
        let result = work(|| {
            let linda = &proxy.object;
            Ok(linda.core.restrict(
                proxy.slot(state, 2),
                mode.map(|(restriction, _)| *restriction),
            ))
        });
        match result {
            Ok(Ok(restriction)) => {
                push_text(state, mode_word(restriction));
                1
            }
            Ok(Err(_)) => outcome::cancelled(state, generation::<G>(), false),
            Err(why) => raise(state, context, why),
        }
    }
}
