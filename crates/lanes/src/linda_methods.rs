//! The methods of lindas, each once per generation.

use std::ffi::{CStr, c_int};
use std::sync::Arc;

use lane::raw::pack::{self, Names, Refusal, SLOTS};
use lane::raw::protect::reserve;
use lane::raw::unpack::{deliver, deliver_all};
use lane::raw::{Generation, Parked, flavour, sentinel};
use lane::{Key, Message};
use linda::{
    AccessError, Cause, Change, Deadline, Hint, Party, ReceiveError, Restriction, SendError,
    SlotRef, Status,
};
use mlua::ffi::{self, lua_State};

use crate::args::{check_key, integer, key, push_key, timeout};
use crate::call::{
    Function, Raise, argument_error, context, error, push_function, push_text, raise, raise_fault,
    work,
};
use crate::object::{Proxy, collect, proxy_at};
use crate::outcome;

const RESTRICTED: &str = "Key is restricted";

/// The generation that a method was built for.
const fn generation<const G: u8>() -> Generation {
    match G {
        2 => Generation::V2,
        3 => Generation::V3,
        _ => Generation::V4,
    }
}

/// The linda at index 1. [-0, +0, e]
#[inline]
unsafe fn this<'a, const G: u8>(state: *mut lua_State) -> &'a Proxy {
    // SAFETY: the value stays at index 1 as long as the method runs.
    unsafe {
        match proxy_at(state, 1) {
            Some(proxy) => proxy,
            None if G == 2 => argument_error(state, 1, c"expected a linda object!"),
            None => argument_error(state, 1, c"expecting a linda object"),
        }
    }
}

/// The party that calls, for operations on this linda.
#[inline]
fn party<'a>(context: &'a lane::raw::Context, proxy: &Proxy) -> Party<'a> {
    Party {
        recheck: proxy.object.wake_period,
        ..context.party()
    }
}

/// Makes room for packing the values from `first` on, if one of them needs it.
/// [-0, +0, e]
#[inline]
unsafe fn room(state: *mut lua_State, first: c_int, last: c_int) {
    // SAFETY: nothing is held.
    unsafe {
        let scalars = (first..=last).all(|index| {
            matches!(
                ffi::lua_type(state, index),
                ffi::LUA_TSTRING
                    | ffi::LUA_TNUMBER
                    | ffi::LUA_TBOOLEAN
                    | ffi::LUA_TNIL
                    | ffi::LUA_TLIGHTUSERDATA
            )
        });
        if !scalars {
            reserve(state, SLOTS);
        }
    }
}

/// How many values can be pushed at most. [-0, +0, -]
unsafe fn room_for_values(state: *mut lua_State) -> ffi::lua_Integer {
    // SAFETY: a valid state.
    let used = unsafe { ffi::lua_gettop(state) };
    ffi::lua_Integer::from(flavour::STACK_LIMIT - used - 2 * SLOTS)
}

/// Packs the values of `send` and `set`, each for itself.
unsafe fn packed(
    state: *mut lua_State,
    context: &lane::raw::Context,
    first: c_int,
    last: c_int,
) -> Result<Vec<Message>, Raise> {
    let names = Names::Linda(first as u32 - 1);
    // SAFETY: `room` was called.
    unsafe { pack::values(state, context, first, last - first + 1, names) }
        .map_err(|Refusal(text)| Raise::Text(text))
}

unsafe extern "C-unwind" fn send<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; see `call` for the three parts.
    unsafe {
        let generation = generation::<G>();
        let context = context(state);
        let proxy = this::<G>(state);
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
        check_key(state, generation, key);
        let first = key + 1;
        if last < first {
            error(state, c"no data to send");
        }
        room(state, first, last);
        let result = work(|| {
            // One scalar, the usual case, needs no list.
            let single = if first == last {
                pack::scalar(state, first)
            } else {
                None
            };
            let party = party(context, proxy);
            let sent = match single {
                Some(message) => {
                    let linda = &proxy.object;
                    linda
                        .core
                        .send(&party, proxy.slot(state, key), &mut Some(message), deadline)
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
fn received<R>(result: Result<R, ReceiveError>) -> Result<Result<R, ReceiveError>, Raise> {
    match result {
        Err(ReceiveError::Cancelled(Cause::Hard)) => Err(Raise::Cancelled),
        Err(ReceiveError::Restricted) => Err(RESTRICTED.to_owned().into()),
        other => Ok(other),
    }
}

unsafe extern "C-unwind" fn receive<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; see `call` for the three parts.
    unsafe {
        let generation = generation::<G>();
        let context = context(state);
        let proxy = this::<G>(state);
        let (deadline, first) = timeout(state, generation, 2);
        if G != 4 && is_batched(state, first) {
            return batched::<G>(state, deadline, first + 1);
        }
        let last = ffi::lua_gettop(state);
        check_key(state, generation, first);
        for index in first + 1..=last {
            check_key(state, generation, index);
        }
        let result = work(|| {
            let party = party(context, proxy);
            let linda = &proxy.object;
            received(if first == last {
                linda.core.receive(
                    &party,
                    std::slice::from_ref(proxy.slot(state, first)),
                    deadline,
                )
            } else {
                let slots: Vec<SlotRef<Key, Message>> = (first..=last)
                    .map(|index| proxy.slot(state, index).clone())
                    .collect();
                linda.core.receive(&party, &slots, deadline)
            })
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
const BATCHED: &str = "270e6c9d-280f-4983-8fee-a7ecdda01475";

unsafe fn is_batched(state: *mut lua_State, index: c_int) -> bool {
    // SAFETY: reading a string neither converts nor raises.
    unsafe {
        ffi::lua_type(state, index) == ffi::LUA_TSTRING
            && pack::bytes_at(state, index) == BATCHED.as_bytes()
    }
}

unsafe extern "C-unwind" fn receive_batched<const G: u8>(state: *mut lua_State) -> c_int {
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
        let context = context(state);
        let proxy = this::<G>(state);
        check_key(state, generation, key);
        let min = integer(state, key + 1);
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

unsafe extern "C-unwind" fn set<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; see `call` for the three parts.
    unsafe {
        let context = context(state);
        let proxy = this::<G>(state);
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

unsafe extern "C-unwind" fn get<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; see `call` for the three parts.
    unsafe {
        let context = context(state);
        let proxy = this::<G>(state);
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

unsafe extern "C-unwind" fn limit<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; see `call` for the three parts.
    unsafe {
        let context = context(state);
        let proxy = this::<G>(state);
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

fn mode_word(restriction: Restriction) -> &'static str {
    match restriction {
        Restriction::None => "none",
        Restriction::SetGet => "set/get",
        Restriction::SendReceive => "send/receive",
    }
}

unsafe extern "C-unwind" fn restrict<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; see `call` for the three parts.
    unsafe {
        let context = context(state);
        let proxy = this::<G>(state);
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

unsafe extern "C-unwind" fn count<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; see `call` for the three parts.
    unsafe {
        let context = context(state);
        let proxy = this::<G>(state);
        let last = ffi::lua_gettop(state);
        for index in 2..=last {
            check_key(state, generation::<G>(), index);
        }
        if last == 2 {
            let result = work(|| Ok(key(state, 2).and_then(|key| proxy.object.core.count(&key))));
            return match result {
                Ok(Some(count)) => {
                    ffi::lua_pushinteger(state, count as ffi::lua_Integer);
                    1
                }
                Ok(None) => 0,
                Err(why) => raise(state, context, why),
            };
        }
        if last == 1 {
            return counts::<G>(state, context, proxy);
        }
        ffi::lua_createtable(state, 0, last - 1);
        for index in 2..=last {
            let result =
                work(|| Ok(key(state, index).and_then(|key| proxy.object.core.count(&key))));
            match result {
                Ok(Some(count)) => {
                    ffi::lua_pushvalue(state, index);
                    ffi::lua_pushinteger(state, count as ffi::lua_Integer);
                    ffi::lua_rawset(state, last + 1);
                }
                Ok(None) => {}
                Err(why) => return raise(state, context, why),
            }
        }
        1
    }
}

/// `count()`: a table of all slots.
unsafe fn counts<const G: u8>(
    state: *mut lua_State,
    context: &lane::raw::Context,
    proxy: &Proxy,
) -> c_int {
    // SAFETY: called by `count`; the list is parked while Lua may raise.
    unsafe {
        let list = match work(|| Ok(proxy.object.core.counts())) {
            Ok(list) => list,
            Err(why) => return raise(state, context, why),
        };
        if G == 2 && list.is_empty() {
            return 0;
        }
        let entries: *const [(Key, usize)] = list.as_slice();
        let place = context.park(Parked::Any(Box::new(list)));
        ffi::lua_createtable(state, 0, 0);
        let table = ffi::lua_gettop(state);
        for (key, count) in &*entries {
            if !push_key(state, context, key) {
                continue;
            }
            ffi::lua_pushinteger(state, *count as ffi::lua_Integer);
            ffi::lua_rawset(state, table);
        }
        context.unpark(place);
        1
    }
}

unsafe extern "C-unwind" fn dump<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; the list is parked while Lua may raise.
    unsafe {
        let context = context(state);
        let proxy = this::<G>(state);
        let list = match work(|| Ok(proxy.object.core.dump())) {
            Ok(list) => list,
            Err(why) => return raise(state, context, why),
        };
        if list.is_empty() {
            return 0;
        }
        let entries: *const [(Key, linda::SlotDump<Message>)] = list.as_slice();
        let place = context.park(Parked::Any(Box::new(list)));
        ffi::luaL_checkstack(state, 12, std::ptr::null());
        ffi::lua_createtable(state, 0, 0);
        let table = ffi::lua_gettop(state);
        for (key, slot) in &*entries {
            if !push_key(state, context, key) {
                continue;
            }
            ffi::lua_createtable(state, 0, 5);
            let number = |name: &CStr, value: usize| {
                ffi::lua_pushinteger(state, value as ffi::lua_Integer);
                ffi::lua_setfield(state, table + 2, name.as_ptr());
            };
            number(c"first", slot.first as usize);
            number(c"count", slot.values.len());
            match slot.limit {
                Some(limit) => ffi::lua_pushinteger(state, limit as ffi::lua_Integer),
                None if G == 4 => push_text(state, "unlimited"),
                None => ffi::lua_pushinteger(state, -1),
            }
            ffi::lua_setfield(state, table + 2, c"limit".as_ptr());
            if G == 4 {
                push_text(state, mode_word(slot.restriction));
                ffi::lua_setfield(state, table + 2, c"restrict".as_ptr());
            }
            ffi::lua_createtable(state, slot.values.len() as c_int, 0);
            for (n, message) in slot.values.iter().enumerate() {
                if let Err(fault) = lane::raw::unpack::message(state, context, message, false) {
                    return raise_fault(state, fault);
                }
                flavour::raw_seti(state, table + 3, (slot.first as usize + n) as u32);
            }
            ffi::lua_setfield(state, table + 2, c"fifo".as_ptr());
            ffi::lua_rawset(state, table);
        }
        context.unpark(place);
        1
    }
}

/// The hint at `index`. [-0, +0, e]
unsafe fn hint(state: *mut lua_State, index: c_int, with_none: bool) -> Hint {
    // SAFETY: nothing is held.
    unsafe {
        if ffi::lua_type(state, index) <= ffi::LUA_TNIL {
            return Hint::Both;
        }
        let word = ffi::luaL_checkstring(state, index);
        match CStr::from_ptr(word).to_bytes() {
            b"both" => Hint::Both,
            b"read" => Hint::Read,
            b"write" => Hint::Write,
            b"none" if with_none => Hint::None,
            _ => {
                ffi::luaL_error(state, c"unknown wake hint '%s'".as_ptr(), word);
                unreachable!("luaL_error does not return")
            }
        }
    }
}

unsafe extern "C-unwind" fn cancel<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; see `call` for the three parts.
    unsafe {
        let context = context(state);
        let proxy = this::<G>(state);
        if ffi::lua_gettop(state) > 2 {
            error(state, c"wrong number of arguments");
        }
        let hint = hint(state, 2, true);
        match work(|| {
            proxy.object.core.cancel(hint);
            Ok(())
        }) {
            Ok(()) => 0,
            Err(why) => raise(state, context, why),
        }
    }
}

unsafe extern "C-unwind" fn wake<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; see `call` for the three parts.
    unsafe {
        let context = context(state);
        let proxy = this::<G>(state);
        if ffi::lua_gettop(state) > 2 {
            error(state, c"wrong number of arguments");
        }
        let hint = hint(state, 2, false);
        match work(|| {
            proxy.object.core.wake(hint);
            Ok(())
        }) {
            Ok(()) => 0,
            Err(why) => raise(state, context, why),
        }
    }
}

unsafe extern "C-unwind" fn deep<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this.
    unsafe {
        let proxy = this::<G>(state);
        ffi::lua_pushlightuserdata(state, address(proxy));
        1
    }
}

unsafe extern "C-unwind" fn close<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this.
    unsafe {
        let proxy = this::<G>(state);
        crate::closing::close(state, proxy)
    }
}

unsafe extern "C-unwind" fn atomic_add<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this.
    unsafe {
        let proxy = this::<G>(state);
        check_key(state, generation::<G>(), 2);
        crate::atomic::add(state, proxy)
    }
}

fn address(proxy: &Proxy) -> *mut std::ffi::c_void {
    Arc::as_ptr(&proxy.object)
        .cast::<std::ffi::c_void>()
        .cast_mut()
}

unsafe extern "C-unwind" fn collect_garbage<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this. There is no hidden storage to collect.
    unsafe {
        this::<G>(state);
        if ffi::lua_gettop(state) > 1 {
            error(state, c"Unexpected extra argument");
        }
        0
    }
}

/// Pushes `Linda: name`. [-0, +1, m]
unsafe fn push_shown<const G: u8>(state: *mut lua_State, proxy: &Proxy) {
    // SAFETY: the object is kept alive by its proxy, which is on the stack.
    unsafe {
        push_text(state, if G == 2 { "linda: " } else { "Linda: " });
        if G == 2 || proxy.object.name.is_empty() {
            ffi::lua_pushfstring(state, c"%p".as_ptr(), address(proxy));
        } else {
            flavour::push_bytes(state, &proxy.object.name);
        }
        ffi::lua_concat(state, 2);
    }
}

unsafe extern "C-unwind" fn to_string<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this.
    unsafe {
        let proxy = this::<G>(state);
        push_shown::<G>(state, proxy);
        1
    }
}

/// `__concat`: either operand may be the linda.
unsafe extern "C-unwind" fn concat<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this with two operands.
    unsafe {
        ffi::lua_settop(state, 2);
        for index in 1..=2 {
            ffi::lua_pushvalue(state, index);
            if ffi::lua_type(state, index) == ffi::LUA_TUSERDATA
                && ffi::lua_getmetatable(state, index) != 0
            {
                let ours = ffi::lua_rawequal(state, -1, ffi::lua_upvalueindex(2)) != 0;
                ffi::lua_settop(state, -2);
                if ours {
                    let proxy: *const Proxy = ffi::lua_touserdata(state, index).cast();
                    push_shown::<G>(state, &*proxy);
                    ffi::lua_replace(state, -2);
                }
            }
        }
        ffi::lua_concat(state, 2);
        1
    }
}

/// `__index` in 4.x: methods, the status, and an error for what does not exist.
/// Methods come first, with as few steps as can be: each call of a method looks
/// it up.
unsafe extern "C-unwind" fn index(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this with the linda and the key.
    unsafe {
        let kind = ffi::lua_type(state, 2);
        if kind == ffi::LUA_TSTRING {
            ffi::lua_pushvalue(state, 2);
            if ffi::lua_rawget(state, ffi::lua_upvalueindex(3)) != ffi::LUA_TNIL {
                return 1;
            }
            if pack::bytes_at(state, 2) == b"status" {
                let status = this::<4>(state).object.core.status();
                push_text(
                    state,
                    if status == Status::Active {
                        "active"
                    } else {
                        "cancelled"
                    },
                );
                return 1;
            }
            return ffi::luaL_error(
                state,
                c"unknown field '%s'".as_ptr(),
                ffi::lua_tostring(state, 2),
            );
        }
        let kind = ffi::lua_typename(state, kind);
        ffi::luaL_error(
            state,
            c"Unsupported linda indexing key type %s".as_ptr(),
            kind,
        )
    }
}

unsafe extern "C-unwind" fn new_index<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this.
    unsafe { error(state, c"a linda has no fields that can be written") }
}

/// Pushes a fresh metatable for the generation of the state. [-0, +1, e]
pub unsafe fn push_metatable(state: *mut lua_State, _: *const Arc<dyn lane::Deep>) {
    // SAFETY: the caller has reserved stack slots.
    unsafe {
        match lane::raw::context::of_state(state).map(lane::raw::Context::generation) {
            Some(Generation::V2) => metatable::<2>(state),
            Some(Generation::V3) => metatable::<3>(state),
            _ => metatable::<4>(state),
        }
    }
}

unsafe fn metatable<const G: u8>(state: *mut lua_State) {
    let methods: &[(&CStr, Function, bool)] = &[
        (c"send", send::<G>, true),
        (c"receive", receive::<G>, true),
        (c"receive_batched", receive_batched::<G>, G == 4),
        (c"set", set::<G>, true),
        (c"get", get::<G>, true),
        (c"limit", limit::<G>, true),
        (c"restrict", restrict::<G>, G == 4),
        (c"count", count::<G>, true),
        (c"dump", dump::<G>, true),
        (c"cancel", cancel::<G>, G != 2),
        (c"wake", wake::<G>, G == 4),
        (c"deep", deep::<G>, true),
        (c"atomic_add", atomic_add::<G>, true),
        (c"collectgarbage", collect_garbage::<G>, G == 4),
    ];
    let metamethods: &[(&CStr, Function)] = &[
        (c"__tostring", to_string::<G>),
        (c"__concat", concat::<G>),
        (c"__newindex", new_index::<G>),
        (c"__close", close::<G>),
    ];
    // SAFETY: `luaL_checkstack` makes room; nothing is held.
    unsafe {
        ffi::luaL_checkstack(state, 8, std::ptr::null());
        ffi::lua_createtable(state, 0, 8);
        let table = ffi::lua_gettop(state);
        for (name, function) in metamethods {
            ffi::lua_pushvalue(state, table);
            push_function(state, *function, 1);
            ffi::lua_setfield(state, table, name.as_ptr());
        }
        ffi::lua_pushcfunction(state, collect);
        ffi::lua_setfield(state, table, c"__gc".as_ptr());
        if G == 2 {
            ffi::lua_pushboolean(state, 0);
        } else {
            push_text(state, "Linda");
        }
        ffi::lua_setfield(state, table, c"__metatable".as_ptr());
        // Methods are found in a plain table, without a call where the
        // generation allows it.
        ffi::lua_createtable(state, 0, 16);
        for (name, function, wanted) in methods {
            if *wanted {
                ffi::lua_pushvalue(state, table);
                push_function(state, *function, 1);
                ffi::lua_setfield(state, table + 1, name.as_ptr());
            }
        }
        if G != 2 {
            ffi::lua_pushlightuserdata(state, sentinel::null());
            ffi::lua_setfield(state, table + 1, c"null".as_ptr());
        }
        if G != 4 {
            push_text(state, BATCHED);
            ffi::lua_setfield(state, table + 1, c"batched".as_ptr());
        }
        if G == 4 {
            ffi::lua_pushvalue(state, table);
            ffi::lua_insert(state, -2);
            push_function(state, index, 2);
        }
        ffi::lua_setfield(state, table, c"__index".as_ptr());
        ffi::lua_settop(state, table);
    }
}
