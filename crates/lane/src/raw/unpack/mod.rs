//! Unpacking: messages into Lua values.
//!
//! Everything here may raise for want of memory, so nothing here owns a value
//! with a destructor or panics: the messages lie in the context's limbo, and
//! what is wrong with one is answered as a [`Fault`].

mod objects;

use std::ffi::{CStr, c_int};

use mlua::ffi::{self, lua_State};

use super::context::{Context, Parked};
use super::flavour;
use super::objects::{Objects, SLOTS};
use super::protect::reserve;
use crate::message::{Handle, INLINE, Message, is_lone};
use crate::wire::{Reader, tag};

/// Why a message cannot be rebuilt here. The text, if any, is on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The bytes are not a message.
    Malformed,
    /// A message is on top of the stack.
    OnTop,
}

type Result<T> = std::result::Result<T, Fault>;

/// A view of a message that moves freely: short bytes are copied, so that it
/// stays good when the limbo grows.
struct View {
    inline: [u8; INLINE],
    data: *const u8,
    len: usize,
    handles: *const [Handle],
    pick: Option<u32>,
    /// Whether nobody rebuilds the message again.
    consume: bool,
    /// Whether this process has packed it.
    trusted: bool,
}

impl View {
    #[inline]
    fn new(message: &Message, consume: bool) -> View {
        let bytes = message.bytes();
        let mut inline = [0; INLINE];
        if let Some(short) = inline.get_mut(..bytes.len()) {
            short.copy_from_slice(bytes);
        }
        View {
            inline,
            data: bytes.as_ptr(),
            len: bytes.len(),
            handles: message.handles(),
            pick: message.picked(),
            consume: consume && message.picked().is_none(),
            trusted: true,
        }
    }

    /// # Safety
    /// The message is still parked.
    #[inline]
    unsafe fn bytes(&self) -> &[u8] {
        match self.inline.get(..self.len) {
            Some(short) => short,
            // SAFETY: longer bytes lie behind a reference count that the
            // parked message holds.
            None => unsafe { std::slice::from_raw_parts(self.data, self.len) },
        }
    }
}

/// Pushes the values of a message that was received. [-0, +n, e]
///
/// # Safety
/// Ten free stack slots; `context` belongs to `state`.
#[inline]
pub unsafe fn deliver(state: *mut lua_State, context: &Context, message: Message) -> Result<c_int> {
    if message.is_lone() {
        // The usual case, a string or another scalar, and most quickly done.
        if let Some((len, data)) = message.inline() {
            // Nothing is left to drop.
            drop(message);
            // SAFETY: the bytes are a copy of our own.
            return unsafe { lone(state, &data[..len]) };
        }
        let bytes: *const [u8] = message.bytes();
        let place = context.park(Parked::Message(message));
        // SAFETY: the bytes lie behind a reference count that the parked message
        // holds.
        let result = unsafe { lone(state, &*bytes) };
        context.retire(place);
        return result;
    }
    let view = View::new(&message, true);
    let place = context.park(Parked::Message(message));
    // SAFETY: the message is parked as long as the view is used.
    let result = unsafe { from_view(state, context, &view) };
    context.retire(place);
    result
}

/// Pushes the value of a message that is one scalar. [-0, +1, m]
#[inline]
unsafe fn lone(state: *mut lua_State, bytes: &[u8]) -> Result<c_int> {
    // SAFETY: one free stack slot.
    unsafe { scalar(state, &mut Reader::new(bytes)) }.map(|()| 1)
}

/// Pushes the values of several messages, as one transfer: values that were
/// packed together are rebuilt together, once. `consume` says that nobody else
/// rebuilds them. [-0, +n, e]
///
/// # Safety
/// As for [`deliver`].
pub unsafe fn deliver_all(
    state: *mut lua_State,
    context: &Context,
    messages: Vec<Message>,
    consume: bool,
) -> Result<c_int> {
    let all: *const [Message] = messages.as_slice();
    let place = context.park(Parked::Messages(messages));
    // SAFETY: the buffer of the parked vector stays where it is.
    let result = unsafe { from_slice(state, context, &*all, consume) };
    context.unpark(place);
    result
}

/// Pushes the values of a message that somebody else keeps alive; `consume`
/// says that it is not rebuilt again. [-0, +n, e]
///
/// # Safety
/// As for [`deliver`]; the message stays, also when this raises.
pub unsafe fn message(
    state: *mut lua_State,
    context: &Context,
    message: *const Message,
    consume: bool,
) -> Result<c_int> {
    // SAFETY: the caller's promise.
    unsafe { from_view(state, context, &View::new(&*message, consume)) }
}

/// Pushes the values of bytes that may be anything: every mistake in them is a
/// fault. Functions and clones in them are refused, because bytecode and raw
/// memory cannot be checked. [-0, +n, e]
///
/// # Safety
/// Ten free stack slots; `context` belongs to `state`; `bytes` stay, also when
/// this raises.
pub unsafe fn untrusted(
    state: *mut lua_State,
    context: &Context,
    bytes: *const [u8],
) -> Result<c_int> {
    let none: &[Handle] = &[];
    // SAFETY: the caller's promise.
    unsafe {
        let bytes = &*bytes;
        let mut view = View {
            inline: [0; INLINE],
            data: bytes.as_ptr(),
            len: bytes.len(),
            handles: none,
            pick: None,
            consume: true,
            trusted: false,
        };
        if let Some(short) = view.inline.get_mut(..bytes.len()) {
            short.copy_from_slice(bytes);
        }
        from_view(state, context, &view)
    }
}

unsafe fn from_slice(
    state: *mut lua_State,
    context: &Context,
    messages: &[Message],
    consume: bool,
) -> Result<c_int> {
    // SAFETY: the messages stay; `reserve` makes room.
    unsafe {
        reserve(state, messages.len() as c_int + SLOTS);
        let top = ffi::lua_gettop(state);
        // The values that were packed together last, as a list.
        ffi::lua_pushnil(state);
        let mut last: Option<&Message> = None;
        for one in messages {
            let view = View::new(one, consume);
            let Some(pick) = one.picked() else {
                from_view(state, context, &view)?;
                continue;
            };
            if last.is_none_or(|last| !last.same_bytes(one)) {
                let count = all(state, context, &view)?;
                ffi::lua_createtable(state, count, 0);
                ffi::lua_insert(state, -count - 1);
                for n in (1..=count).rev() {
                    flavour::raw_seti(state, -n - 1, n as u32);
                }
                ffi::lua_replace(state, top + 1);
                last = Some(one);
            }
            flavour::raw_geti(state, top + 1, pick + 1);
        }
        ffi::lua_remove(state, top + 1);
        Ok(ffi::lua_gettop(state) - top)
    }
}

#[inline]
unsafe fn from_view(state: *mut lua_State, context: &Context, view: &View) -> Result<c_int> {
    // SAFETY: the message of the view is alive.
    unsafe {
        if is_lone(view.bytes()) {
            return lone(state, view.bytes());
        }
        let top = ffi::lua_gettop(state);
        let count = all(state, context, view)?;
        if let Some(pick) = view.pick {
            let pick = c_int::try_from(pick)
                .ok()
                .filter(|pick| *pick < count)
                .ok_or(Fault::Malformed)?;
            ffi::lua_pushvalue(state, top + 1 + pick);
            ffi::lua_replace(state, top + 1);
            ffi::lua_settop(state, top + 1);
            return Ok(1);
        }
        Ok(count)
    }
}

/// Pushes one value that refers to nothing else. [-0, +1, m]
#[inline]
unsafe fn scalar(state: *mut lua_State, reader: &mut Reader<'_>) -> Result<()> {
    let tag = reader.u8().ok_or(Fault::Malformed)?;
    // SAFETY: one free stack slot.
    unsafe { tagged_scalar(state, reader, tag) }
}

#[inline]
unsafe fn tagged_scalar(state: *mut lua_State, reader: &mut Reader<'_>, tag: u8) -> Result<()> {
    // SAFETY: one free stack slot.
    unsafe {
        match tag {
            tag::STR8 | tag::STR32 => flavour::push_bytes(state, string(reader, tag)?),
            tag::NUM => {
                ffi::lua_pushnumber(state, f64::from_bits(reader.u64().ok_or(Fault::Malformed)?))
            }
            tag::INT => {
                let integer = reader.u64().ok_or(Fault::Malformed)?.cast_signed();
                ffi::lua_pushinteger(state, integer as ffi::lua_Integer);
            }
            tag::FALSE => ffi::lua_pushboolean(state, 0),
            tag::TRUE => ffi::lua_pushboolean(state, 1),
            tag::NIL => ffi::lua_pushnil(state),
            tag::LIGHT => {
                let address = reader.u64().ok_or(Fault::Malformed)? as usize;
                ffi::lua_pushlightuserdata(state, std::ptr::with_exposed_provenance_mut(address));
            }
            _ => return Err(Fault::Malformed),
        }
        Ok(())
    }
}

#[inline]
fn string<'a>(reader: &mut Reader<'a>, tag: u8) -> Result<&'a [u8]> {
    let len = if tag == tag::STR8 {
        reader.u8().map(u32::from)
    } else {
        reader.u32()
    };
    len.and_then(|len| reader.bytes(len as usize))
        .ok_or(Fault::Malformed)
}

struct Unpacker<'a> {
    state: *mut lua_State,
    context: &'a Context,
    reader: Reader<'a>,
    handles: *const [Handle],
    objects: Objects,
    /// Whether the message is gone after this; else it may be rebuilt again.
    consume: bool,
    trusted: bool,
    /// Whether this message brought a metatable that the state did not have.
    fresh: bool,
    /// Stack index of the list of metatables to be set later, and its length;
    /// proxies that the state had before are keys of it.
    later: c_int,
    deferred: u32,
}

/// Pushes all values of a message of the long form. [-0, +n, e]
unsafe fn all(state: *mut lua_State, context: &Context, view: &View) -> Result<c_int> {
    // SAFETY: `reserve` makes room for the values and for the work.
    unsafe {
        let mut reader = Reader::new(view.bytes());
        if reader.u8() != Some(tag::MANY) {
            return Err(Fault::Malformed);
        }
        let count = reader
            .u32()
            .filter(|count| *count as usize <= reader.left())
            .ok_or(Fault::Malformed)?;
        let count = c_int::try_from(count).map_err(|_| Fault::Malformed)?;
        reserve(state, count.saturating_add(SLOTS));
        let top = ffi::lua_gettop(state);
        ffi::lua_settop(state, top + count + 1);
        let mut unpacker = Unpacker {
            state,
            context,
            reader,
            handles: view.handles,
            objects: Objects::new(state),
            consume: view.consume,
            trusted: view.trusted,
            fresh: false,
            later: top + count + 1,
            deferred: 0,
        };
        for n in 1..=count {
            unpacker.value()?;
            ffi::lua_replace(state, top + n);
        }
        let mut next = 0;
        while next < unpacker.objects.len() {
            unpacker.objects.push(next);
            let object = ffi::lua_gettop(state);
            match ffi::lua_type(state, object) {
                ffi::LUA_TTABLE => unpacker.table_content(object)?,
                ffi::LUA_TFUNCTION => unpacker.function_content(object)?,
                _ => unpacker.userdata_content(object)?,
            }
            ffi::lua_settop(state, object - 1);
            next += 1;
        }
        unpacker.finish();
        ffi::lua_settop(state, top + count);
        Ok(count)
    }
}

/// The text of a fault, on top of the stack. [-(0|1), +1, m]
///
/// # Safety
/// The stack is as the fault left it, with one free slot.
pub unsafe fn push_fault(state: *mut lua_State, fault: Fault) {
    const MALFORMED: &CStr = c"a message cannot be unpacked: its bytes are malformed";
    if fault == Fault::Malformed {
        // SAFETY: the caller's promise.
        unsafe {
            ffi::lua_pushstring(state, MALFORMED.as_ptr());
        }
    }
}
