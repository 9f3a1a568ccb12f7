//! `linda:atomic_add`: what `lanes.genatomic` counts with.

use std::ffi::c_int;

use lane::Number;
use lane::raw::flavour;
use lane::{Message, raw};
use linda::{AccessError, Level};
use mlua::ffi::{self, lua_State};

use crate::call::{Raise, context, raise, work};
use crate::object::Proxy;

/// Adds the number at index 3 to the one in the slot with the checked key at
/// index 2. Nobody else's change is lost, and nobody waits: it is tried again
/// until no change came between. -> the sum; `cancel_error` when the linda is
/// cancelled or the lane softly. [-0, +1, e]
///
/// # Safety
/// Called by the method, on the linda of `proxy`.
pub unsafe fn add(state: *mut lua_State, proxy: &Proxy) -> c_int {
    // SAFETY: the caller's promise; see `call` for the three parts.
    unsafe {
        let context = context(state);
        let diff = ffi::luaL_checknumber(state, 3);
        let diff = if flavour::is_integer(state, 3) {
            Number::Integer(int(ffi::lua_tointeger(state, 3)))
        } else {
            Number::Float(diff)
        };
        let result = work(|| {
            match context.party().cancel.level() {
                Level::None => {}
                Level::Soft => return Ok(None),
                Level::Hard => return Err(Raise::Cancelled),
            }
            let linda = &proxy.object;
            let slot = proxy.slot(state, 2);
            loop {
                let seen = match linda.core.get(slot, 1) {
                    Ok(seen) => seen,
                    Err(AccessError::Cancelled) => return Ok(None),
                    Err(AccessError::Restricted) => {
                        return Err("Key is restricted".to_owned().into());
                    }
                };
                let number = seen.first().and_then(Message::as_number);
                let Some(number) = number else {
                    return Err("the slot of an atomic does not hold a number"
                        .to_owned()
                        .into());
                };
                let sum = number.plus(diff);
                let unchanged = |now: &Message| now.as_number().is_some_and(|now| now.same(number));
                match linda.core.exchange(slot, unchanged, Message::number(sum)) {
                    Ok(true) => return Ok(Some(sum)),
                    Ok(false) | Err(AccessError::Restricted) => {}
                    Err(AccessError::Cancelled) => return Ok(None),
                }
            }
        });
        match result {
            #[allow(clippy::unnecessary_cast, reason = "narrower in some flavours")]
            Ok(Some(Number::Integer(sum))) => ffi::lua_pushinteger(state, sum as ffi::lua_Integer),
            Ok(Some(Number::Float(sum))) => ffi::lua_pushnumber(state, sum),
            Ok(None) => ffi::lua_pushlightuserdata(state, raw::sentinel::cancel_error()),
            Err(why) => return raise(state, context, why),
        }
        1
    }
}

#[allow(clippy::unnecessary_cast, reason = "narrower in some flavours")]
fn int(integer: ffi::lua_Integer) -> i64 {
    integer as i64
}
