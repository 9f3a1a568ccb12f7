//! The methods that list slots: `count`, `dump`.

use std::ffi::{CStr, c_int};

use lane::raw::{Parked, flavour};
use lane::{Key, Message};
use mlua::ffi::{self, lua_State};

use super::access::mode_word;
use super::{both, generation};
use crate::args::{check_key, key, push_key};
use crate::call::{push_text, raise, raise_fault, work};
use crate::object::Proxy;

pub(super) unsafe extern "C-unwind" fn count<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; see `call` for the three parts.
    unsafe {
        let (context, proxy) = both::<G>(state);
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

pub(super) unsafe extern "C-unwind" fn dump<const G: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; the list is parked while Lua may raise.
    unsafe {
        let (context, proxy) = both::<G>(state);
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
