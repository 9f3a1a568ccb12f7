//! The methods that may block: `send`, `receive`, `receive_batched`.

use std::ffi::c_int;

use lane::raw::unpack::{deliver, deliver_all};
use lane::raw::{Generation, pack, sentinel};
use lane::{Key, Message};
use linda::{Cause, Deadline, ReceiveError, SendError, SlotRef};
use mlua::ffi::{self, lua_State};
use smallvec::SmallVec;

use super::{RESTRICTED, both, generation, packed, party, room, room_for_values, tick};
use crate::args::{check_key, integer, text_key, timeout};
use crate::call::{Raise, argument_error, error, raise, raise_fault, work};
use crate::outcome;

pub(super) unsafe extern "C-unwind" fn send<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; see `call` for the three parts.
    unsafe {
        let generation = generation::<G>();
        let (context, proxy) = both::<G>(state);
        tick::<G>(state, context, proxy);
        let (deadline, mut key) = timeout(state, generation, 2);
        let mut last = ffi::lua_gettop(state);
        if G == 3
            && ffi::lua_type(state, key) == ffi::LUA_TLIGHTUSERDATA
            && sentinel::is_null(ffi::lua_touserdata(state, key))
        {
            // `send(linda.null, key)` sends one nil.
            key += 1;
            last = key + 1;
            ffi::lua_settop(state, last);
        }
        let text = text_key(state, key);
        if text.is_none() {
            check_key(state, generation, key);
        }
        let first = key + 1;
        if last < first {
            error(state, c"no data to send");
        }
        // One scalar, the usual case, needs no list.
        let kind = ffi::lua_type(state, first);
        let single = first == last && pack::is_scalar(kind);
        if !single {
            room(state, first, last);
        }
        let result = work(|| {
            let single = if single {
                pack::scalar_of(kind, state, context, first)
            } else {
                None
            };
            let party = party(context, proxy);
            let sent = match single {
                Some(message) => {
                    let linda = &proxy.object;
                    linda.core.send_recycling(
                        &party,
                        proxy.slot_with(state, key, text),
                        &mut Some(message),
                        context.spare(),
                        deadline,
                    )
                }
                None => {
                    let mut batch = packed(state, context, first, last)?;
                    let linda = &proxy.object;
                    linda
                        .core
                        .send(&party, proxy.slot(state, key), &mut batch, deadline)
                }
            };
            match sent {
                Err(SendError::Cancelled(Cause::Hard)) => Err(Raise::Cancelled),
                Err(SendError::Restricted) => Err(RESTRICTED.to_owned().into()),
                other => Ok(other),
            }
        });
        match result {
            Ok(Ok(())) => outcome::sent(state),
            Ok(Err(SendError::Timeout)) => outcome::send_timed_out(state, generation),
            Ok(Err(_)) => outcome::cancelled(state, generation, true),
            Err(why) => raise(state, context, why),
        }
    }
}

/// What a receiving call gives back when it received nothing.
unsafe fn not_received(state: *mut lua_State, generation: Generation, why: ReceiveError) -> c_int {
    // SAFETY: nothing is held.
    unsafe {
        match why {
            ReceiveError::Timeout => outcome::receive_timed_out(state, generation),
            ReceiveError::Cancelled(_) | ReceiveError::Restricted => {
                outcome::cancelled(state, generation, false)
            }
        }
    }
}

/// What a receiving call raises, as against what it returns.
#[inline(always)]
fn received<R>(result: Result<R, ReceiveError>) -> Result<Result<R, ReceiveError>, Raise> {
    match result {
        Err(ReceiveError::Cancelled(Cause::Hard)) => Err(Raise::Cancelled),
        Err(ReceiveError::Restricted) => Err(RESTRICTED.to_owned().into()),
        other => Ok(other),
    }
}

pub(super) unsafe extern "C-unwind" fn receive<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; see `call` for the three parts.
    unsafe {
        let generation = generation::<G>();
        let (context, proxy) = both::<G>(state);
        tick::<G>(state, context, proxy);
        let (deadline, first) = timeout(state, generation, 2);
        let text = text_key(state, first);
        match text {
            None => check_key(state, generation, first),
            Some(text) if G != 4 && text == BATCHED.as_bytes() => {
                return batched::<G>(state, deadline, first + 1);
            }
            Some(_) => {}
        }
        let last = ffi::lua_gettop(state);
        for index in first + 1..=last {
            check_key(state, generation, index);
        }
        let result = work(|| {
            let party = party(context, proxy);
            let spent = context.spent();
            let most = spent.as_ref().map_or(0, Message::most_spares);
            let core = &proxy.object.core;
            if first == last {
                let slots = &[proxy.slot_with(state, first, text)];
                return received(core.receive_recycling(&party, slots, spent, most, deadline));
            }
            // What a slot has comes before what later ones have, so those need
            // not be looked up.
            let now = Deadline::now();
            for (nth, index) in (first..=last).enumerate() {
                let slot = proxy.nth_slot(state, index, nth);
                if slot.seems_empty() {
                    continue;
                }
                match core.receive_recycling(&party, &[slot], spent, most, now) {
                    Err(ReceiveError::Timeout) => {}
                    Ok((_, message)) => return Ok(Ok((nth, message))),
                    other => return received(other),
                }
            }
            let slots: SmallVec<[SlotRef<Key, Message>; 4]> = (first..=last)
                .enumerate()
                .map(|(nth, index)| proxy.nth_slot(state, index, nth).clone())
                .collect();
            received(core.receive_recycling(&party, &slots, spent, most, deadline))
        });
        match result {
            Ok(Ok((which, message))) => {
                let key = first + which as c_int;
                if G == 2 {
                    if let Err(fault) = deliver(state, context, message) {
                        return raise_fault(state, fault);
                    }
                    ffi::lua_pushvalue(state, key);
                } else {
                    // The key that the caller gave, not the one that is stored.
                    ffi::lua_pushvalue(state, key);
                    if let Err(fault) = deliver(state, context, message) {
                        return raise_fault(state, fault);
                    }
                }
                2
            }
            Ok(Err(why)) => not_received(state, generation, why),
            Err(why) => raise(state, context, why),
        }
    }
}

/// The marker that older generations put before the key of a batch.
pub(crate) const BATCHED: &str = "lanes: a batch follows";

pub(super) unsafe extern "C-unwind" fn receive_batched<const G: u8>(
    state: *mut lua_State,
) -> c_int {
    // SAFETY: Lua calls this.
    unsafe {
        let (deadline, key) = timeout(state, generation::<G>(), 2);
        batched::<G>(state, deadline, key)
    }
}

/// A batched receive with the key at this index and the counts after it.
unsafe fn batched<const G: u8>(state: *mut lua_State, deadline: Deadline, key: c_int) -> c_int {
    // SAFETY: called by C functions of ours; see `call` for the three parts.
    unsafe {
        let generation = generation::<G>();
        let (context, proxy) = both::<G>(state);
        check_key(state, generation, key);
        // 3.x may leave it out.
        let min = if G == 3 && ffi::lua_type(state, key + 1) <= ffi::LUA_TNIL {
            1
        } else {
            integer(state, key + 1)
        };
        if min < 1 {
            argument_error(state, key + 1, c"bad min count");
        }
        // In 2.x the count is exact.
        let max = if G == 2 || ffi::lua_type(state, key + 2) <= ffi::LUA_TNIL {
            min
        } else {
            integer(state, key + 2)
        };
        if max < min {
            argument_error(state, key + 2, c"batched min/max error");
        }
        // More than the stack can take would be lost once they are taken out.
        let most = room_for_values(state);
        if min > most {
            argument_error(state, key + 1, c"too many values for the stack");
        }
        let max = max.min(most);
        let result = work(|| {
            let party = party(context, proxy);
            let linda = &proxy.object;
            received(linda.core.receive_batched(
                &party,
                proxy.slot(state, key),
                min as usize,
                max as usize,
                deadline,
            ))
        });
        match result {
            Ok(Ok(messages)) => {
                if G != 2 {
                    ffi::lua_pushvalue(state, key);
                }
                match deliver_all(state, context, messages, true) {
                    Ok(count) => count + c_int::from(G != 2),
                    Err(fault) => raise_fault(state, fault),
                }
            }
            Ok(Err(why)) => not_received(state, generation, why),
            Err(why) => raise(state, context, why),
        }
    }
}
