//! Reading arguments: timeouts and keys.

use std::ffi::c_int;
use std::sync::Arc;

use lane::raw::pack::bytes_at;
use lane::raw::{Context, Generation, Parked, deep, flavour, sentinel};
use lane::{Deep, Key};
use linda::{BadTimeout, Deadline};
use mlua::ffi::{self, lua_State};

use crate::call::argument_error;

/// The timeout that may stand at `index` before the keys: the deadline and the
/// index of what follows. [-0, +0, e]
///
/// # Safety
/// Nothing with a destructor is held.
#[inline]
pub unsafe fn timeout(
    state: *mut lua_State,
    generation: Generation,
    index: c_int,
) -> (Deadline, c_int) {
    // SAFETY: the caller's promise.
    unsafe {
        match ffi::lua_type(state, index) {
            ffi::LUA_TNUMBER => (unstarted(state, generation, index), index + 1),
            ffi::LUA_TNIL => (Deadline::never(), index + 1),
            // In 2.x a string that looks like a number is one.
            ffi::LUA_TSTRING
                if generation == Generation::V2 && ffi::lua_isnumber(state, index) != 0 =>
            {
                (unstarted(state, generation, index), index + 1)
            }
            _ => (Deadline::never(), index),
        }
    }
}

/// The deadline for the number of seconds at `index`. [-0, +0, e]
///
/// # Safety
/// A number or a numeric string at `index`; nothing with a destructor is held.
pub unsafe fn deadline(state: *mut lua_State, generation: Generation, index: c_int) -> Deadline {
    // SAFETY: the caller's promise.
    unsafe { unstarted(state, generation, index) }.started()
}

/// The same for one call that blocks: its time starts when it has to wait.
unsafe fn unstarted(state: *mut lua_State, generation: Generation, index: c_int) -> Deadline {
    // SAFETY: the caller's promise.
    unsafe {
        match Deadline::in_secs(ffi::lua_tonumber(state, index)) {
            Ok(deadline) => deadline,
            Err(BadTimeout::NotANumber) => {
                argument_error(state, index, c"duration is not a number (NaN)")
            }
            Err(BadTimeout::Negative) if generation == Generation::V4 => {
                argument_error(state, index, c"duration cannot be < 0")
            }
            Err(BadTimeout::Negative) => Deadline::never(),
        }
    }
}

/// The integer at `index`; what is none is refused in every flavour alike.
/// [-0, +0, e]
///
/// # Safety
/// Nothing with a destructor is held.
pub unsafe fn integer(state: *mut lua_State, index: c_int) -> ffi::lua_Integer {
    /// All integers up to this are floats too.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    // SAFETY: the caller's promise.
    unsafe {
        if !flavour::INTEGERS {
            let number = ffi::luaL_checknumber(state, index);
            if number.fract() != 0.0 || number.abs() > EXACT || number.is_nan() {
                argument_error(state, index, c"number has no integer representation");
            }
        }
        ffi::luaL_checkinteger(state, index)
    }
}

/// Checks that the value at `index` is a key. [-0, +0, e]
///
/// # Safety
/// Two free stack slots; nothing with a destructor is held.
#[inline]
pub unsafe fn check_key(state: *mut lua_State, generation: Generation, index: c_int) {
    // SAFETY: the caller's promise.
    unsafe {
        match ffi::lua_type(state, index) {
            ffi::LUA_TSTRING | ffi::LUA_TBOOLEAN => {}
            ffi::LUA_TNUMBER => {
                if ffi::lua_tonumber(state, index).is_nan() {
                    argument_error(state, index, c"a slot cannot be NaN");
                }
            }
            ffi::LUA_TLIGHTUSERDATA => {
                let pointer = ffi::lua_touserdata(state, index);
                if generation == Generation::V4 {
                    if pointer == sentinel::cancel_error() {
                        argument_error(state, index, c"can't use lanes.cancel_error as a slot");
                    }
                    if pointer == sentinel::null() {
                        argument_error(state, index, c"can't use lanes.null as a slot");
                    }
                }
            }
            ffi::LUA_TUSERDATA if generation == Generation::V4 => {
                if !deep::is_proxy(state, index) {
                    argument_error(state, index, c"can't use non-deep userdata as a slot");
                }
            }
            _ if generation == Generation::V4 => argument_error(
                state,
                index,
                c"invalid slot type (not a boolean, string, number or light userdata)",
            ),
            _ => argument_error(
                state,
                index,
                c"invalid key type (not a boolean, string, number or light userdata)",
            ),
        }
    }
}

/// The key at `index` if it is a string, which most are: such a key needs no
/// check. [-0, +0, -]
///
/// # Safety
/// The bytes are good as long as the value stays on the stack.
#[inline]
pub unsafe fn text_key<'a>(state: *mut lua_State, index: c_int) -> Option<&'a [u8]> {
    // SAFETY: the caller's promise.
    unsafe { (ffi::lua_type(state, index) == ffi::LUA_TSTRING).then(|| bytes_at(state, index)) }
}

/// The key at `index`, which was checked. [-0, +0, -]
///
/// # Safety
/// Two free stack slots.
pub unsafe fn key(state: *mut lua_State, index: c_int) -> Option<Key> {
    // SAFETY: the caller's promise; these reads do not raise.
    unsafe {
        match ffi::lua_type(state, index) {
            ffi::LUA_TSTRING => Some(Key::String(bytes_at(state, index).into())),
            ffi::LUA_TBOOLEAN => Some(Key::Boolean(ffi::lua_toboolean(state, index) != 0)),
            ffi::LUA_TNUMBER if flavour::is_integer(state, index) =>
            {
                #[allow(clippy::unnecessary_cast, reason = "narrower in some flavours")]
                Some(Key::Integer(ffi::lua_tointeger(state, index) as i64))
            }
            ffi::LUA_TNUMBER => Key::number(ffi::lua_tonumber(state, index)),
            ffi::LUA_TLIGHTUSERDATA => Some(Key::Light(ffi::lua_touserdata(state, index).addr())),
            ffi::LUA_TUSERDATA => {
                deep::object_at(state, index).map(|object| Key::Deep(Arc::downgrade(&object)))
            }
            _ => None,
        }
    }
}

/// Whether the key at `index`, which is no string, is this one; spares making
/// it. See [`text_key`] for strings. [-0, +0, -]
///
/// # Safety
/// Two free stack slots.
#[inline]
pub unsafe fn is_key(state: *mut lua_State, index: c_int, key: &Key) -> bool {
    // SAFETY: the caller's promise; these reads do not raise.
    unsafe {
        match (ffi::lua_type(state, index), key) {
            (ffi::LUA_TNUMBER, Key::Integer(integer)) => {
                ffi::lua_tonumber(state, index) == *integer as f64
                    && self::key(state, index).as_ref() == Some(key)
            }
            (ffi::LUA_TBOOLEAN, Key::Boolean(value)) => {
                (ffi::lua_toboolean(state, index) != 0) == *value
            }
            (ffi::LUA_TLIGHTUSERDATA, Key::Light(address)) => {
                ffi::lua_touserdata(state, index).addr() == *address
            }
            _ => false,
        }
    }
}

/// Pushes a key as the Lua value it stands for. Answers false, with nothing
/// pushed, for an object that is gone. [-0, +(0|1), e]
///
/// # Safety
/// Eight free stack slots; `key` stays where it is, also when this raises.
pub unsafe fn push_key(state: *mut lua_State, context: &Context, key: *const Key) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        match &*key {
            Key::Boolean(value) => ffi::lua_pushboolean(state, c_int::from(*value)),
            Key::Integer(integer) if flavour::INTEGERS => {
                ffi::lua_pushinteger(state, *integer as ffi::lua_Integer);
            }
            Key::Integer(integer) => ffi::lua_pushnumber(state, *integer as ffi::lua_Number),
            Key::Float(bits) => ffi::lua_pushnumber(state, f64::from_bits(*bits)),
            Key::String(text) => flavour::push_bytes(state, text),
            Key::Light(address) => {
                ffi::lua_pushlightuserdata(state, std::ptr::with_exposed_provenance_mut(*address));
            }
            Key::Deep(object) => {
                let Some(object) = object.upgrade() else {
                    return false;
                };
                let object = Box::new(object);
                let pointer: *const Arc<dyn Deep> = &raw const *object;
                let place = context.park(Parked::Any(object));
                deep::push(state, pointer);
                context.unpark(place);
            }
        }
        true
    }
}
