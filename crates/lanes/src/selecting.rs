//! `lanes.select`: a receive from slots of several lindas.

use std::ffi::c_int;
use std::sync::Arc;

use lane::raw::deep;
use lane::raw::unpack::deliver;
use lane::{Key, Message};
use linda::{Cause, ReceiveError, SlotRef};
use mlua::ffi::{self, lua_State};

use crate::args::{check_key, key, timeout};
use crate::call::{Raise, argument_error, context, raise, raise_fault, work};
use crate::object::{KIND, Object};
use crate::outcome;

/// The linda at `index`, if it is one. [-0, +0, -]
///
/// # Safety
/// Two free stack slots.
pub unsafe fn linda_at(state: *mut lua_State, index: c_int) -> Option<Arc<Object>> {
    // SAFETY: the caller's promise.
    let object = unsafe { deep::object_at(state, index) }?;
    if !std::ptr::eq(object.kind(), &KIND) {
        return None;
    }
    object.as_any().downcast().ok()
}

/// `select([timeout,] linda, key, linda, key, …)` -> linda, key, value
pub unsafe extern "C-unwind" fn select(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; see `call` for the three parts.
    unsafe {
        let context = context(state);
        let generation = context.generation();
        let (deadline, first) = timeout(state, generation, 1);
        let count = ffi::lua_gettop(state) + 1 - first;
        if count < 2 {
            argument_error(state, first, c"expecting a linda and a key");
        }
        ffi::luaL_checkstack(state, 12, std::ptr::null());
        for index in (first..first + count).step_by(2) {
            if !is_linda(state, index) {
                argument_error(state, index, c"expecting a linda object");
            }
            check_key(state, generation, index + 1);
        }
        let result = work(|| {
            let lindas: Vec<Arc<Object>> = (first..first + count)
                .step_by(2)
                .filter_map(|index| linda_at(state, index))
                .collect();
            let slots: Vec<SlotRef<Key, Message>> = lindas
                .iter()
                .zip((first + 1..).step_by(2))
                .map(|(linda, index)| {
                    let key = key(state, index).expect("a key that was checked");
                    linda.core.slot(&key)
                })
                .collect();
            let sources: Vec<_> = lindas.iter().map(|linda| &linda.core).zip(&slots).collect();
            let mut party = context.party();
            party.recheck = lindas.iter().filter_map(|linda| linda.wake_period).min();
            match linda::select(&party, &sources, deadline) {
                Err(ReceiveError::Cancelled(Cause::Hard)) => Err(Raise::Cancelled),
                Err(ReceiveError::Restricted) => Err("Key is restricted".to_owned().into()),
                other => Ok(other),
            }
        });
        match result {
            Ok(Ok((which, message))) => {
                let linda = first + 2 * which as c_int;
                ffi::lua_pushvalue(state, linda);
                ffi::lua_pushvalue(state, linda + 1);
                match deliver(state, context, message) {
                    Ok(_) => 3,
                    Err(fault) => raise_fault(state, fault),
                }
            }
            Ok(Err(ReceiveError::Timeout)) => outcome::receive_timed_out(state, generation),
            Ok(Err(_)) => outcome::cancelled(state, generation, false),
            Err(why) => raise(state, context, why),
        }
    }
}

/// Whether the value at `index` is a linda. [-0, +0, -]
///
/// # Safety
/// Two free stack slots.
pub unsafe fn is_linda(state: *mut lua_State, index: c_int) -> bool {
    // SAFETY: the caller's promise.
    unsafe { linda_at(state, index).is_some() }
}
