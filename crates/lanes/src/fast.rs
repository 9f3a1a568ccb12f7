//! The C interface behind `lua/ffi.lua`: LuaJIT compiles calls of these
//! functions into its traces, where a C function of the classic kind would end
//! the trace.
//!
//! It is put in place once a state has called `send` or `receive` often enough
//! to pay for it, and only where the program could have loaded the FFI itself.
//!
//! None of these functions calls Lua. What they cannot do they leave alone, and
//! answer [`NOTHING`]: the caller then goes the classic way.
//!
//! A text that was received stays where the message is, in the context, until
//! the caller has made a string of it. Making a string may run a finalizer or a
//! hook, and these may receive too. So the caller's record is *busy* meanwhile,
//! and whoever finds it busy goes the classic way, which does not touch the
//! message that is held. (An error in between leaves it busy for good, and the
//! state with the classic way.)

use std::ffi::{c_char, c_int, c_void};

use lane::raw::protect::{catch, protected};
use lane::raw::unpack::deliver;
use lane::raw::{Context, Generation};
use lane::{Message, Number, Scalar};
use linda::{Cause, Deadline, ReceiveError, SendError};
use mlua::ffi::{self, lua_State};

use crate::call::{Raise, context, error, push_text, raise, raise_fault};
use crate::chunks::load;
use crate::linda_methods::{BATCHED, party};
use crate::object::{Proxy, alive, proxy_at};
use crate::outcome;

/// The Lua side.
const SOURCE: &str = include_str!("../../../lua/ffi.lua");

/// Nothing was done.
const NOTHING: i32 = 0;
const DONE: i32 = 1;
const TIMEOUT: i32 = 2;
const CANCELLED: i32 = 3;
const STOPPED: i32 = 4;
/// A panic.
const FAILED: i32 = 5;

/// What was received. `lua/ffi.lua` declares the same.
#[repr(C)]
pub struct Received {
    /// Not 0 while the text is in use.
    busy: i32,
    /// 0 if the message is more than a scalar.
    kind: i32,
    text: *const c_char,
    length: usize,
    number: f64,
}

const OTHER: i32 = 0;
const TEXT: i32 = 1;
const NUMBER: i32 = 2;
const TRUE: i32 = 3;
const FALSE: i32 = 4;

/// The context and the linda of a call, if both are there.
///
/// # Safety
/// `slot` is what the context's userdata holds, `proxy` the payload of a
/// userdata that was a linda once; both stay as long as the call lasts.
#[inline]
unsafe fn both<'a>(
    slot: *const *const Context,
    proxy: *const Proxy,
) -> Option<(&'a Context, &'a Proxy)> {
    // SAFETY: the caller's promise. The slot is null once the context is gone.
    unsafe { Some(((*slot).as_ref()?, alive(proxy)?)) }
}

/// # Safety
/// `len` bytes at `data`.
#[inline]
unsafe fn bytes<'a>(data: *const c_char, len: usize) -> &'a [u8] {
    // SAFETY: the caller's promise; LuaJIT's strings are never null.
    unsafe { std::slice::from_raw_parts(data.cast(), len) }
}

#[inline]
fn deadline(timeout: f64) -> Option<Deadline> {
    if timeout < 0.0 {
        Some(Deadline::never())
    } else {
        Deadline::in_secs(timeout).ok()
    }
}

#[inline]
unsafe fn send(
    slot: *const *const Context,
    proxy: *const Proxy,
    key: &[u8],
    timeout: f64,
    message: impl FnOnce(&Context) -> Option<Message>,
) -> i32 {
    let body = || {
        // SAFETY: the callers' promise.
        let (context, proxy) = unsafe { both(slot, proxy) }?;
        let deadline = deadline(timeout)?;
        let message = message(context)?;
        let sent = proxy.object.core.send_recycling(
            &party(context, proxy),
            // SAFETY: nothing below uses the reference once this is called again.
            unsafe { proxy.slot_of(key) },
            &mut Some(message),
            context.spare(),
            deadline,
        );
        match sent {
            Ok(()) => Some(DONE),
            Err(SendError::Timeout) => Some(TIMEOUT),
            Err(SendError::Cancelled(Cause::Hard)) => Some(STOPPED),
            Err(SendError::Cancelled(_)) => Some(CANCELLED),
            Err(SendError::Restricted | SendError::Empty) => None,
        }
    };
    catch(body).map_or(FAILED, |status| status.unwrap_or(NOTHING))
}

unsafe extern "C" fn send_text(
    slot: *const *const Context,
    proxy: *const Proxy,
    key: *const c_char,
    key_len: usize,
    text: *const c_char,
    len: usize,
    timeout: f64,
) -> i32 {
    // SAFETY: `lua/ffi.lua` calls this, with strings that stay.
    unsafe {
        send(slot, proxy, bytes(key, key_len), timeout, |context| {
            Message::text(bytes(text, len), context.spare())
        })
    }
}

unsafe extern "C" fn send_number(
    slot: *const *const Context,
    proxy: *const Proxy,
    key: *const c_char,
    key_len: usize,
    number: f64,
    timeout: f64,
) -> i32 {
    // SAFETY: as for `send_text`.
    unsafe {
        send(slot, proxy, bytes(key, key_len), timeout, |_| {
            Some(Message::number(Number::Float(number)))
        })
    }
}

unsafe extern "C" fn send_boolean(
    slot: *const *const Context,
    proxy: *const Proxy,
    key: *const c_char,
    key_len: usize,
    value: bool,
    timeout: f64,
) -> i32 {
    // SAFETY: as for `send_text`.
    unsafe {
        send(slot, proxy, bytes(key, key_len), timeout, |_| {
            Some(Message::boolean(value))
        })
    }
}

unsafe extern "C" fn receive(
    slot: *const *const Context,
    proxy: *const Proxy,
    key: *const c_char,
    key_len: usize,
    timeout: f64,
    received: *mut Received,
) -> i32 {
    // SAFETY: `lua/ffi.lua` calls this with a record that stays.
    let busy = unsafe { (*received).busy };
    let body = || {
        // SAFETY: `lua/ffi.lua` calls this, with a string and a record that stay.
        let (key, received) = unsafe { (bytes(key, key_len), &mut *received) };
        // SAFETY: as above.
        let (context, proxy) = unsafe { both(slot, proxy) }?;
        let deadline = deadline(timeout)?;
        if received.busy != 0 {
            return None;
        }
        // What was held is of no use any more.
        let mut spent = context.held().take();
        let most = spent.as_ref().map_or(0, Message::most_spares);
        let outcome = proxy.object.core.receive_recycling(
            &party(context, proxy),
            // SAFETY: nothing below uses the reference once this is called again.
            std::slice::from_ref(unsafe { proxy.slot_of(key) }),
            &mut spent,
            most,
            deadline,
        );
        let message = match outcome {
            Ok((_, message)) => message,
            Err(ReceiveError::Timeout) => return Some(TIMEOUT),
            Err(ReceiveError::Cancelled(Cause::Hard)) => return Some(STOPPED),
            Err(ReceiveError::Cancelled(_)) => return Some(CANCELLED),
            Err(ReceiveError::Restricted) => return None,
        };
        let message = context.held().insert(message);
        received.busy = 1;
        received.kind = match message.as_scalar() {
            Some(Scalar::Text(text)) => {
                received.text = text.as_ptr().cast();
                received.length = text.len();
                TEXT
            }
            Some(Scalar::Number(Number::Float(number))) => {
                received.number = number;
                NUMBER
            }
            Some(Scalar::Boolean(true)) => TRUE,
            Some(Scalar::Boolean(false)) => FALSE,
            _ => OTHER,
        };
        Some(DONE)
    };
    match catch(body) {
        Ok(status) => status.unwrap_or(NOTHING),
        Err(_) => {
            // Nobody reads what is held: not even a panic leaves it busy.
            // SAFETY: as above.
            unsafe { (*received).busy = busy };
            FAILED
        }
    }
}

/// `is_linda(value)`
unsafe extern "C-unwind" fn is_linda(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this with a value.
    unsafe { ffi::lua_pushboolean(state, c_int::from(proxy_at(state, 1).is_some())) };
    1
}

/// `not_sent(status)`, `not_received(status)`: what the caller is to return.
unsafe extern "C-unwind" fn not_done<const SENDING: bool>(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this; nothing is held.
    unsafe {
        let context = context(state);
        let generation = context.generation();
        match ffi::lua_tointeger(state, 1) as i32 {
            TIMEOUT if SENDING => outcome::send_timed_out(state, generation),
            TIMEOUT => outcome::receive_timed_out(state, generation),
            CANCELLED => outcome::cancelled(state, generation, SENDING),
            STOPPED => raise(state, context, Raise::Cancelled),
            // The panic's text went to standard error; there is no room for it
            // in a status.
            _ => error(
                state,
                c"internal error, please report it: see standard error",
            ),
        }
    }
}

/// `held(wanted)`: takes the message that is held, and answers its value if
/// that is wanted.
unsafe extern "C-unwind" fn held(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this; the message is handed on at once.
    unsafe {
        let context = context(state);
        let wanted = ffi::lua_toboolean(state, 1) != 0;
        let message = context.held().take();
        match message {
            Some(message) if wanted => match deliver(state, context, message) {
                Ok(_) => 1,
                Err(fault) => raise_fault(state, fault),
            },
            message => {
                drop(message);
                0
            }
        }
    }
}

/// Puts the compiled way in the place of the classic one, for the lindas of
/// this state. To be called from a method of a linda whose second upvalue is
/// the metatable. Failure leaves things as they are. [-0, +0, -]
///
/// # Safety
/// Nothing with a destructor is held.
#[cold]
pub unsafe fn install(state: *mut lua_State) {
    // SAFETY: the caller's promise.
    unsafe {
        if ffi::lua_checkstack(state, 10) == 0 {
            return;
        }
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(2));
        if protected(state, 1, 0, install_protected, std::ptr::null_mut()) != ffi::LUA_OK {
            ffi::lua_settop(state, -2);
        }
    }
}

/// `(metatable) -> ()` [e]
unsafe fn install_protected(state: *mut lua_State, _: *mut c_void) -> c_int {
    // SAFETY: nothing is held.
    unsafe {
        let metatable = ffi::lua_gettop(state);
        let Some(context) = lane::raw::context::of_state(state) else {
            return 0;
        };
        load(state, SOURCE);
        ffi::lua_createtable(state, 0, 16);
        let parts = metatable + 2;
        if !push_library(state, c"ffi") {
            return 0;
        }
        ffi::lua_setfield(state, parts, c"ffi".as_ptr());
        if !push_library(state, c"jit") {
            return 0;
        }
        ffi::lua_setfield(state, parts, c"jit".as_ptr());
        ffi::lua_pushvalue(state, metatable);
        ffi::lua_setfield(state, parts, c"metatable".as_ptr());
        ffi::lua_getfield(state, metatable, c"__index".as_ptr());
        if ffi::lua_type(state, -1) == ffi::LUA_TFUNCTION {
            // In 4.x the methods are the third upvalue of what looks them up.
            if ffi::lua_getupvalue(state, -1, 3).is_null() {
                return 0;
            }
            ffi::lua_remove(state, -2);
        }
        ffi::lua_setfield(state, parts, c"methods".as_ptr());
        let generation = match context.generation() {
            Generation::V2 => 2,
            Generation::V3 => 3,
            Generation::V4 => 4,
        };
        ffi::lua_pushinteger(state, generation);
        ffi::lua_setfield(state, parts, c"generation".as_ptr());
        push_text(state, BATCHED);
        ffi::lua_setfield(state, parts, c"batched".as_ptr());
        lane::raw::context::push(state);
        let slot = ffi::lua_touserdata(state, -1);
        ffi::lua_settop(state, -2);
        for (name, address) in [
            (c"context", slot.cast_const()),
            (c"send_text", send_text as *const c_void),
            (c"send_number", send_number as *const c_void),
            (c"send_boolean", send_boolean as *const c_void),
            (c"receive", receive as *const c_void),
        ] {
            ffi::lua_pushlightuserdata(state, address.cast_mut());
            ffi::lua_setfield(state, parts, name.as_ptr());
        }
        crate::call::set_functions(
            state,
            &[
                (c"is_linda", is_linda),
                (c"not_sent", not_done::<true>),
                (c"not_received", not_done::<false>),
                (c"held", held),
            ],
        );
        ffi::lua_call(state, 1, 0);
        0
    }
}

/// Pushes a library that the program has loaded, or could load: from
/// `package.loaded` or `package.preload`. Answers whether it did. [-0, +(0|1), e]
unsafe fn push_library(state: *mut lua_State, name: &std::ffi::CStr) -> bool {
    // SAFETY: nothing is held.
    unsafe {
        let top = ffi::lua_gettop(state);
        for registered in [c"_LOADED", c"_PRELOAD"] {
            ffi::lua_getfield(state, ffi::LUA_REGISTRYINDEX, registered.as_ptr());
            if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
                ffi::lua_getfield(state, -1, name.as_ptr());
                if ffi::lua_type(state, -1) == ffi::LUA_TFUNCTION {
                    ffi::lua_pushstring(state, name.as_ptr());
                    ffi::lua_call(state, 1, 1);
                }
                if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
                    ffi::lua_replace(state, top + 1);
                    ffi::lua_settop(state, top + 1);
                    return true;
                }
            }
            ffi::lua_settop(state, top);
        }
        false
    }
}
