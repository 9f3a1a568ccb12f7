//! The packer: one run through the values of a message.

use std::ffi::{c_int, c_void};

use mlua::ffi::{self, lua_State};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::identity::Identity;
use super::{Names, Refusal, boolean_at, bytes_at, number_at};
use crate::message::{Handle, Message};
use crate::raw::context::Context;
use crate::raw::convert::{self, Verdict};
use crate::raw::objects::Objects;
use crate::raw::{flavour, sentinel};
use crate::wire::{string_header, tag};

/// Where in the object that is being filled a value was found.
#[derive(Clone, Copy)]
pub enum Place {
    /// One of the values of the transfer, counted from 0.
    Root(u32),
    /// The value of a table's entry, whose key is at this index.
    Entry(c_int),
    /// A key of a table.
    Key,
    /// An upvalue, counted from 1.
    Upvalue(c_int),
    /// The metatable.
    Metatable,
    /// A user value.
    UserValue,
    /// The object itself.
    Itself,
}

/// Packs the values of one message.
pub struct Packer<'a> {
    pub(super) state: *mut lua_State,
    pub(super) context: &'a Context,
    pub(super) names: Names,
    /// Stack top at the start, restored at the end.
    pub(super) top: c_int,
    pub(super) globals: *const c_void,
    pub(super) out: Vec<u8>,
    pub(super) handles: Vec<Handle>,
    pub(super) objects: Objects,
    pub(super) identity: Identity,
    /// Which variable is which upvalue of which object.
    pub(super) variables: FxHashMap<usize, (u32, u8)>,
    /// Where each object comes from.
    pub(super) origins: Vec<Origin>,
    /// The object that is being filled.
    pub(super) current: u32,
    /// The value of the transfer through which it was reached.
    pub(super) root: u32,
    /// Whether code of the program may have run since the table that is being
    /// packed was entered: a conversion, or a finalizer when memory was taken.
    /// It may have changed the table, and then `lua_next` raises.
    pub(super) called: bool,
    /// Stack index of the list of objects that were converted, or nil.
    pub(super) anchors: c_int,
}

/// Where an object comes from.
pub struct Origin {
    /// The object that mentions it first, or `ROOT`.
    pub(super) owner: u32,
    /// The value of the transfer through which it was reached.
    pub(super) root: u32,
    /// Where in `out` its sizes stand.
    pub(super) sizes: usize,
}

/// In the place of an object: a value of the transfer.
pub const ROOT: u32 = u32::MAX;

/// However the run ended, also by a panic: the stack is as it was.
impl Drop for Packer<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}

impl<'a> Packer<'a> {
    /// The stack is as it was when the packer is dropped, or after
    /// [`leave`](Packer::leave).
    pub unsafe fn new(state: *mut lua_State, context: &'a Context, names: Names) -> Packer<'a> {
        // SAFETY: the stack slots were reserved by the caller of this module.
        unsafe {
            let top = ffi::lua_gettop(state);
            ffi::lua_pushglobaltable(state);
            let globals = ffi::lua_topointer(state, -1);
            ffi::lua_settop(state, top + 1);
            ffi::lua_pushnil(state);
            ffi::lua_replace(state, top + 1);
            Packer {
                state,
                context,
                names,
                top,
                globals,
                out: context.take_buffer(),
                handles: Vec::new(),
                objects: Objects::new(state),
                identity: Identity::default(),
                variables: FxHashMap::default(),
                origins: Vec::new(),
                current: ROOT,
                root: 0,
                called: false,
                anchors: top + 1,
            }
        }
    }

    /// The addresses of what other values of the same transfer may share:
    /// objects, and the variables of functions.
    pub fn shareable(&self) -> impl Iterator<Item = usize> {
        let variables = self
            .variables
            .keys()
            .copied()
            .filter(|_| flavour::JOINS_UPVALUES);
        self.identity.pointers().chain(variables)
    }

    pub fn leave(&self) {
        // SAFETY: the state is the one of `new`, and the top was its own then.
        unsafe { ffi::lua_settop(self.state, self.top) };
    }

    pub fn finish(mut self) -> Message {
        let message = Message::new(
            &self.out,
            std::mem::take(&mut self.handles),
            self.context.spare(),
        );
        self.context.give_buffer(std::mem::take(&mut self.out));
        message
    }

    pub unsafe fn run(&mut self, first: c_int, count: c_int, number: u32) -> Result<(), Refusal> {
        // SAFETY: the values are there; the slots are reserved.
        unsafe {
            self.out.push(tag::MANY);
            self.out.extend_from_slice(&(count as u32).to_ne_bytes());
            let top = ffi::lua_gettop(self.state);
            for n in 0..count {
                self.root = number + n as u32;
                #[cfg(feature = "faults")]
                crate::raw::faults::point("while packing");
                self.value(first + n, Place::Root(self.root))?;
                ffi::lua_settop(self.state, top);
            }
            let mut next = 0;
            while next < self.objects.len() {
                self.current = next;
                self.root = self.origins[next as usize].root;
                self.objects.push(next);
                let object = ffi::lua_gettop(self.state);
                #[cfg(feature = "faults")]
                crate::raw::faults::point("while packing");
                match ffi::lua_type(self.state, object) {
                    ffi::LUA_TTABLE => self.table_content(object)?,
                    ffi::LUA_TFUNCTION => self.function_content(object)?,
                    _ => self.userdata_content(object)?,
                }
                ffi::lua_settop(self.state, object - 1);
                next += 1;
            }
            Ok(())
        }
    }

    pub(super) unsafe fn value(&mut self, index: c_int, place: Place) -> Result<(), Refusal> {
        // SAFETY: a value at `index`, which is absolute; nothing here raises.
        unsafe {
            match ffi::lua_type(self.state, index) {
                ffi::LUA_TNIL => self.out.push(tag::NIL),
                ffi::LUA_TBOOLEAN => self.out.push(boolean_at(self.state, index)),
                ffi::LUA_TNUMBER => {
                    let (tag, bits) = number_at(self.state, index);
                    self.out.push(tag);
                    self.out.extend_from_slice(&bits);
                }
                ffi::LUA_TSTRING => {
                    let text = bytes_at(self.state, index);
                    self.string(text, place)?;
                }
                ffi::LUA_TLIGHTUSERDATA => {
                    let pointer = ffi::lua_touserdata(self.state, index);
                    if sentinel::is_null(pointer) {
                        self.out.push(tag::NIL);
                    } else {
                        self.light(pointer);
                    }
                }
                ffi::LUA_TTABLE | ffi::LUA_TUSERDATA => self.object(index, place)?,
                ffi::LUA_TFUNCTION => self.function(index, place)?,
                ffi::LUA_TTHREAD => {
                    return Err(self.refuse(place, "a coroutine cannot be transferred"));
                }
                _ => return Err(self.refuse(place, "a cdata object cannot be transferred")),
            }
            Ok(())
        }
    }

    pub(super) fn string(&mut self, text: &[u8], place: Place) -> Result<(), Refusal> {
        let Some((header, len)) = string_header(text.len()) else {
            return Err(self.refuse(place, "a string of more than 4 GiB cannot be transferred"));
        };
        self.out.extend_from_slice(&header[..len]);
        self.out.extend_from_slice(text);
        Ok(())
    }

    /// Writes a reference when the object at `index` has a number already.
    pub(super) unsafe fn known(&mut self, pointer: *const c_void) -> bool {
        let Some(number) = self.identity.get(pointer) else {
            return false;
        };
        self.out.push(tag::REF);
        self.out.extend_from_slice(&number.to_ne_bytes());
        true
    }

    /// Gives the object at `index` its number; its sizes come next in `out`.
    pub(super) unsafe fn enter(
        &mut self,
        index: c_int,
        pointer: *const c_void,
        place: Place,
    ) -> Result<(), Refusal> {
        let number = self.objects.len();
        self.called |= self.objects.is_full();
        // SAFETY: a value at `index`.
        if number == ROOT || !unsafe { self.objects.add(index) } {
            return Err(self.refuse(place, "not enough memory for the transfer"));
        }
        self.identity.insert(pointer, number);
        self.origins.push(Origin {
            owner: self.current,
            root: self.root,
            sizes: self.out.len(),
        });
        Ok(())
    }

    /// A table or full userdata, which may want to become something else
    /// first. What it becomes stays on the stack above, until the caller cuts
    /// that back.
    pub(super) unsafe fn object(&mut self, mut index: c_int, place: Place) -> Result<(), Refusal> {
        // SAFETY: a table or full userdata at `index`; conversions take a slot
        // each, and there are fewer than ten.
        unsafe {
            let most = self.context.conversion_attempts();
            let mut attempts = 0;
            // The objects that became this one.
            let mut converted: SmallVec<[*const c_void; 2]> = SmallVec::new();
            loop {
                let pointer = ffi::lua_topointer(self.state, index);
                if self.known(pointer) {
                    return Ok(());
                }
                let userdata = match ffi::lua_type(self.state, index) {
                    ffi::LUA_TTABLE => false,
                    ffi::LUA_TUSERDATA => true,
                    _ => return self.value(index, place),
                };
                if userdata && self.shared_or_cloned(index, pointer, place)? {
                    return Ok(());
                }
                // What stands for something of the receiver's own is no copy,
                // and is not converted either.
                if pointer == self.globals {
                    self.out.push(tag::GLOBALS);
                    return Ok(());
                }
                if self.context.is_module(pointer) {
                    self.out.push(tag::MODULE);
                    return Ok(());
                }
                // The list of globals is no value of the program's.
                let listed = matches!((self.names, place), (Names::Globals, Place::Root(_)));
                if listed && !userdata {
                    return self.table(index, pointer, place);
                }
                let keeper = matches!(self.names, Names::Linda(_));
                match convert::verdict(self.state, self.context, index, keeper, self.anchors) {
                    Ok(Verdict::Itself) if userdata => return self.userdata(index, pointer, place),
                    Ok(Verdict::Itself) => {
                        let number = self.objects.len();
                        self.table(index, pointer, place)?;
                        // Met again, they are this one again.
                        if self.objects.len() > number {
                            for object in converted {
                                self.identity.insert(object, number);
                            }
                        }
                        return Ok(());
                    }
                    Ok(Verdict::Nil) => self.out.push(tag::NIL),
                    Ok(Verdict::Decay) => self.light(pointer),
                    Ok(Verdict::Top) if attempts < most => {
                        self.called = true;
                        attempts += 1;
                        converted.push(pointer);
                        index = ffi::lua_gettop(self.state);
                        continue;
                    }
                    Ok(Verdict::Top) => {
                        let why = format!("more than {most} conversion attempts");
                        return Err(self.refuse(place, &why));
                    }
                    Err(why) => return Err(self.refuse(place, &why)),
                }
                return Ok(());
            }
        }
    }

    pub(super) fn light(&mut self, pointer: *const c_void) {
        self.out.push(tag::LIGHT);
        self.out
            .extend_from_slice(&(pointer.addr() as u64).to_ne_bytes());
    }
}
