//! Packing: Lua values into messages.
//!
//! Nothing here raises: what may raise in Lua runs in a protected call. So the
//! packer may own what it likes, and a refusal comes back as a value before
//! anything was queued and with no lock held.

mod functions;
mod identity;
mod packer;
mod refusal;
mod tables;
mod userdata;

use std::ffi::c_int;

use mlua::ffi::{self, lua_State};
use rustc_hash::FxHashMap;

use self::packer::Packer;
use super::context::Context;
use super::{flavour, sentinel};
use crate::message::Message;
use crate::wire::tag;

pub use super::objects::SLOTS;

/// Why a value cannot travel, with the path to it.
#[derive(Debug)]
pub struct Refusal(pub String);

/// What the values of a transfer are called in a refusal.
#[derive(Clone, Copy)]
pub enum Names {
    /// `argument N` of a launch, counted from this number for the first value.
    Argument(u32),
    /// The same for values on their way into a linda.
    Linda(u32),
    /// `value`: the one that a host packs.
    Value,
    /// `result N`.
    Result,
    /// `upvalue` and the like come from the function itself: the one value is
    /// a lane's body.
    Body,
    /// The entries of the `globals` option.
    Globals,
    /// The value that an error carries.
    Error,
}

/// Whether values of this type need no look at the rest of the stack.
#[inline]
pub fn is_scalar(kind: c_int) -> bool {
    matches!(
        kind,
        ffi::LUA_TSTRING
            | ffi::LUA_TNUMBER
            | ffi::LUA_TBOOLEAN
            | ffi::LUA_TNIL
            | ffi::LUA_TLIGHTUSERDATA
    )
}

/// Packs one value that needs no look at the rest of the stack: anything but a
/// table, function or full userdata. [-0, +0, -]
///
/// # Safety
/// A value at `index`; `context` belongs to `state`.
#[inline]
pub unsafe fn scalar(state: *mut lua_State, context: &Context, index: c_int) -> Option<Message> {
    // SAFETY: the caller's promise.
    unsafe { scalar_of(ffi::lua_type(state, index), state, context, index) }
}

/// [`scalar`], for a value whose type is known. [-0, +0, -]
///
/// # Safety
/// A value of this type at `index`; `context` belongs to `state`.
#[inline]
pub unsafe fn scalar_of(
    kind: c_int,
    state: *mut lua_State,
    context: &Context,
    index: c_int,
) -> Option<Message> {
    // SAFETY: the caller's promise; reading scalars does not raise.
    unsafe {
        Some(match kind {
            ffi::LUA_TSTRING => Message::text(bytes_at(state, index), context.spare())?,
            ffi::LUA_TNUMBER => {
                let (tag, bits) = number_at(state, index);
                Message::short(&[tag], &bits)
            }
            ffi::LUA_TBOOLEAN => Message::boolean(ffi::lua_toboolean(state, index) != 0),
            ffi::LUA_TNIL => Message::short(&[tag::NIL], &[]),
            ffi::LUA_TLIGHTUSERDATA => {
                let pointer = ffi::lua_touserdata(state, index);
                if sentinel::is_null(pointer) {
                    Message::short(&[tag::NIL], &[])
                } else {
                    Message::short(&[tag::LIGHT], &(pointer.addr() as u64).to_ne_bytes())
                }
            }
            _ => return None,
        })
    }
}

/// Packs values each into a message of its own, as `send` needs them. Values
/// that share tables or functions are packed together, and each message then
/// means one of them. [-0, +0, -]
///
/// # Safety
/// `count` values from `first` (absolute); [`SLOTS`] free stack slots unless
/// all are scalars; `context` belongs to `state`.
pub unsafe fn values(
    state: *mut lua_State,
    context: &Context,
    first: c_int,
    count: c_int,
    names: Names,
) -> Result<Vec<Message>, Refusal> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut messages = Vec::with_capacity(count as usize);
        let mut seen = FxHashMap::default();
        for n in 0..count {
            if let Some(message) = scalar(state, context, first + n) {
                messages.push(message);
                continue;
            }
            let mut packer = Packer::new(state, context, names);
            let result = packer.run(first + n, 1, n as u32);
            packer.leave();
            result?;
            // All of its objects are entered, also after one was found.
            let mut shared = false;
            for object in packer.shareable() {
                shared |= *seen.entry(object).or_insert(n) != n;
            }
            if shared {
                let all = together(state, context, first, count, names)?.shared();
                return Ok((0..count as u32).map(|n| all.pick(n)).collect());
            }
            messages.push(packer.finish());
        }
        Ok(messages)
    }
}

/// Packs values into one message. [-0, +0, -]
///
/// # Safety
/// As for [`values`].
pub unsafe fn together(
    state: *mut lua_State,
    context: &Context,
    first: c_int,
    count: c_int,
    names: Names,
) -> Result<Message, Refusal> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut packer = Packer::new(state, context, names);
        packer.run(first, count, 0)?;
        Ok(packer.finish())
    }
}

/// The bytes of the string at `index`. [-0, +0, -]
///
/// # Safety
/// A string at `index`; the slice is good as long as that value stays.
#[inline]
pub unsafe fn bytes_at<'a>(state: *mut lua_State, index: c_int) -> &'a [u8] {
    // SAFETY: for a value that is a string this neither converts nor raises.
    unsafe {
        let mut len = 0;
        let data = ffi::lua_tolstring(state, index, &raw mut len);
        std::slice::from_raw_parts(data.cast(), len)
    }
}

#[inline]
unsafe fn number_at(state: *mut lua_State, index: c_int) -> (u8, [u8; 8]) {
    // SAFETY: a number at `index`.
    unsafe {
        if flavour::is_integer(state, index) {
            (tag::INT, ffi::lua_tointeger(state, index).to_ne_bytes())
        } else {
            (tag::NUM, ffi::lua_tonumber(state, index).to_ne_bytes())
        }
    }
}

#[inline]
unsafe fn boolean_at(state: *mut lua_State, index: c_int) -> u8 {
    // SAFETY: a value at `index`.
    if unsafe { ffi::lua_toboolean(state, index) } != 0 {
        tag::TRUE
    } else {
        tag::FALSE
    }
}
