//! The packer: one run through the values of a message.

use std::ffi::{c_int, c_void};

use mlua::ffi::{self, lua_State};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::identity::Identity;
use super::{Names, Refusal, boolean_at, bytes_at, number_at};
use crate::message::{Handle, Message};
use crate::raw::context::{Context, Generation};
use crate::raw::convert::{self, Cloning, Verdict};
use crate::raw::objects::Objects;
use crate::raw::protect::undisturbed;
use crate::raw::{deep, flavour, metas, names, sentinel};
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
    top: c_int,
    globals: *const c_void,
    out: Vec<u8>,
    handles: Vec<Handle>,
    pub(super) objects: Objects,
    pub(super) identity: Identity,
    /// Which variable is which upvalue of which object.
    variables: FxHashMap<usize, (u32, u8)>,
    /// Where each object comes from.
    pub(super) origins: Vec<Origin>,
    /// The object that is being filled.
    pub(super) current: u32,
    /// The value of the transfer through which it was reached.
    pub(super) root: u32,
    /// Whether code of the program may have run since the table that is being
    /// packed was entered: a conversion, or a finalizer when memory was taken.
    /// It may have changed the table, and then `lua_next` raises.
    called: bool,
    /// Stack index of the list of objects that were converted, or nil.
    anchors: c_int,
}

/// Where an object comes from.
pub struct Origin {
    /// The object that mentions it first, or `ROOT`.
    pub(super) owner: u32,
    /// The value of the transfer through which it was reached.
    pub(super) root: u32,
    /// Where in `out` its sizes stand.
    sizes: usize,
}

/// In the place of an object: a value of the transfer.
pub const ROOT: u32 = u32::MAX;

impl<'a> Packer<'a> {
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

    pub unsafe fn leave(&self) {
        // SAFETY: the top is the one of the start.
        unsafe { ffi::lua_settop(self.state, self.top) };
    }

    pub fn finish(mut self) -> Message {
        let message = Message::new(&self.out, std::mem::take(&mut self.handles));
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
                self.value(first + n, Place::Root(self.root))?;
                ffi::lua_settop(self.state, top);
            }
            let mut next = 0;
            while next < self.objects.len() {
                self.current = next;
                self.root = self.origins[next as usize].root;
                self.objects.push(next);
                let object = ffi::lua_gettop(self.state);
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

    unsafe fn value(&mut self, index: c_int, place: Place) -> Result<(), Refusal> {
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

    fn string(&mut self, text: &[u8], place: Place) -> Result<(), Refusal> {
        let Some((header, len)) = string_header(text.len()) else {
            return Err(self.refuse(place, "a string of more than 4 GiB cannot be transferred"));
        };
        self.out.extend_from_slice(&header[..len]);
        self.out.extend_from_slice(text);
        Ok(())
    }

    /// Writes a reference when the object at `index` has a number already.
    unsafe fn known(&mut self, pointer: *const c_void) -> bool {
        let Some(number) = self.identity.get(pointer) else {
            return false;
        };
        self.out.push(tag::REF);
        self.out.extend_from_slice(&number.to_ne_bytes());
        true
    }

    /// Gives the object at `index` its number; its sizes come next in `out`.
    unsafe fn enter(
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
    unsafe fn object(&mut self, mut index: c_int, place: Place) -> Result<(), Refusal> {
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

    fn light(&mut self, pointer: *const c_void) {
        self.out.push(tag::LIGHT);
        self.out
            .extend_from_slice(&(pointer.addr() as u64).to_ne_bytes());
    }

    unsafe fn table(
        &mut self,
        index: c_int,
        pointer: *const c_void,
        place: Place,
    ) -> Result<(), Refusal> {
        // SAFETY: a table at `index`.
        unsafe {
            self.called |= !self.context.named();
            match names::of_value(self.state, self.context, index) {
                Some(name) if names::is_library(&name) => {
                    self.out.push(tag::NAMED);
                    return self.string(&name, place);
                }
                Some(name) => {
                    self.out.push(tag::KNOWN);
                    self.string(&name, place)?;
                }
                None => self.out.push(tag::TABLE),
            }
            self.enter(index, pointer, place)?;
            // Patched once the contents are known.
            self.out.extend_from_slice(&[0; 8]);
            Ok(())
        }
    }

    /// The metatable of the object at `object`, on top, if it has one.
    unsafe fn metatable(&mut self, object: c_int) -> Result<(), Refusal> {
        // SAFETY: a table or full userdata at `object`.
        unsafe {
            if ffi::lua_getmetatable(self.state, object) != 0 {
                let Some(identity) = metas::identity(self.state, self.context, object + 1) else {
                    return Err(self.refuse(Place::Metatable, "not enough memory for the transfer"));
                };
                self.out.push(tag::META);
                self.out.extend_from_slice(&identity.to_ne_bytes());
                // A metatable is part of its object and is never converted.
                let pointer = ffi::lua_topointer(self.state, object + 1);
                if !self.known(pointer) {
                    self.table(object + 1, pointer, Place::Metatable)?;
                }
                ffi::lua_settop(self.state, object);
            }
            Ok(())
        }
    }

    unsafe fn table_content(&mut self, table: c_int) -> Result<(), Refusal> {
        /// Holes of at most this many nils do not end the array part.
        const GAP: ffi::lua_Integer = 8;
        // SAFETY: a table at `table`, on top; it is not changed on the way, so
        // `lua_next` does not raise.
        unsafe {
            let state = self.state;
            self.metatable(table)?;
            self.called = false;
            let (mut array, mut hash) = (0, 0u32);
            let mut in_array = true;
            let (key, value) = (table + 1, table + 2);
            ffi::lua_pushnil(state);
            while self.next(table)? {
                let key_type = ffi::lua_type(state, key);
                if in_array {
                    let n = integer_key(state, key, key_type);
                    if n > array && n - array <= GAP {
                        self.out
                            .extend(std::iter::repeat_n(tag::NIL, (n - array - 1) as usize));
                        array = n;
                        self.value(value, Place::Entry(key))?;
                        ffi::lua_settop(state, key);
                        continue;
                    }
                    in_array = false;
                    self.out.push(tag::END);
                }
                // Coroutines as keys have never travelled, in any generation;
                // older ones drop other odd keys too.
                let odd = matches!(
                    key_type,
                    ffi::LUA_TTABLE | ffi::LUA_TFUNCTION | ffi::LUA_TUSERDATA
                );
                let old = self.context.generation() != Generation::V4;
                if key_type != ffi::LUA_TTHREAD && !(odd && old) {
                    let at = self.out.len();
                    self.value(key, Place::Key)?;
                    if self.out[at] == tag::NIL {
                        let why = "a key that becomes nil: table index is nil";
                        return Err(self.refuse(Place::Key, why));
                    }
                    self.value(value, Place::Entry(key))?;
                    hash += 1;
                }
                ffi::lua_settop(state, key);
            }
            if in_array {
                self.out.push(tag::END);
            }
            self.out.push(tag::END);
            let at = self.origins[self.current as usize].sizes;
            self.out[at..at + 4].copy_from_slice(&(array as u32).to_ne_bytes());
            self.out[at + 4..at + 8].copy_from_slice(&hash.to_ne_bytes());
            Ok(())
        }
    }

    unsafe fn function(&mut self, index: c_int, place: Place) -> Result<(), Refusal> {
        // SAFETY: a function at `index`.
        unsafe {
            let state = self.state;
            let pointer = ffi::lua_topointer(state, index);
            if self.known(pointer) {
                return Ok(());
            }
            self.called = true;
            if ffi::lua_iscfunction(state, index) != 0 {
                let Some(name) = names::of_function(state, self.context, index) else {
                    let owner = self.context.name();
                    return Err(self.refuse(
                        place,
                        &format!(
                            "a C function not found in {owner} origin transfer database cannot be transferred \
                             (make its module known with lanes.require or lanes.register)"
                        ),
                    ));
                };
                self.out.push(tag::NAMED);
                return self.string(&name, place);
            }
            if let Some(name) = names::of_value(state, self.context, index) {
                self.out.push(tag::NAMED);
                return self.string(&name, place);
            }
            self.out.push(tag::FUNCTION);
            self.enter(index, pointer, place)?;
            let mut upvalues = 0;
            while !ffi::lua_getupvalue(state, index, upvalues + 1).is_null() {
                upvalues += 1;
                ffi::lua_settop(state, -2);
            }
            self.out.push(upvalues as u8);
            let at = self.out.len();
            self.out.extend_from_slice(&[0; 4]);
            let mut job = Dump {
                out: &raw mut self.out,
                strip: self.context.strips(),
            };
            ffi::lua_pushvalue(state, index);
            let top = ffi::lua_gettop(state) - 1;
            let status = undisturbed(state, 1, 0, dump, (&raw mut job).cast());
            ffi::lua_settop(state, top);
            let size = u32::try_from(self.out.len() - at - 4)
                .ok()
                .filter(|_| status == ffi::LUA_OK);
            let Some(size) = size else {
                return Err(self.refuse(
                    place,
                    "the bytecode of a function cannot be had: not enough memory",
                ));
            };
            self.out[at..at + 4].copy_from_slice(&size.to_ne_bytes());
            Ok(())
        }
    }

    unsafe fn function_content(&mut self, function: c_int) -> Result<(), Refusal> {
        // SAFETY: a Lua function at `function`, on top.
        unsafe {
            let mut n = 1;
            while !ffi::lua_getupvalue(self.state, function, n).is_null() {
                let variable = flavour::upvalue_id(self.state, function, n).addr();
                match self.variables.get(&variable) {
                    Some((owner, which)) if flavour::JOINS_UPVALUES => {
                        self.out.push(tag::JOIN);
                        self.out.extend_from_slice(&owner.to_ne_bytes());
                        self.out.push(*which);
                    }
                    _ => {
                        if ffi::lua_topointer(self.state, function + 1) != self.globals {
                            self.variables.insert(variable, (self.current, n as u8));
                        }
                        self.value(function + 1, Place::Upvalue(n))?;
                    }
                }
                ffi::lua_settop(self.state, function);
                n += 1;
            }
            Ok(())
        }
    }

    /// Deep and clonable userdata. Answers whether it was one.
    unsafe fn shared_or_cloned(
        &mut self,
        index: c_int,
        pointer: *const c_void,
        place: Place,
    ) -> Result<bool, Refusal> {
        // SAFETY: a full userdata at `index`.
        unsafe {
            if let Some(object) = deep::object_at(self.state, index) {
                let more = object.user_values() > 0 && flavour::user_values(self.state, index) > 0;
                self.out.push(if more { tag::PROXY } else { tag::DEEP });
                if more {
                    self.enter(index, pointer, place)?;
                }
                self.out
                    .extend_from_slice(&(self.handles.len() as u32).to_ne_bytes());
                self.handles.push(Handle::new(object));
                return Ok(true);
            }
            if !convert::is_clonable(self.state, index) {
                return Ok(false);
            }
            let size = ffi::lua_rawlen(self.state, index);
            let Ok(len) = u32::try_from(size) else {
                return Err(
                    self.refuse(place, "a userdata of more than 4 GiB cannot be transferred")
                );
            };
            self.out.push(tag::CLONE);
            self.enter(index, pointer, place)?;
            self.out.extend_from_slice(&len.to_ne_bytes());
            self.out.push(flavour::user_values(self.state, index) as u8);
            Ok(true)
        }
    }

    unsafe fn userdata_content(&mut self, object: c_int) -> Result<(), Refusal> {
        // SAFETY: a clonable userdata at `object`, on top; the block is as
        // large as the userdata, and aligned as Lua aligns.
        unsafe {
            let state = self.state;
            if deep::is_proxy(state, object) {
                return self.user_values(object);
            }
            self.metatable(object)?;
            let size = ffi::lua_rawlen(state, object);
            let mut block = vec![0_u128; size.div_ceil(size_of::<u128>())];
            let cloning = Cloning {
                to: block.as_mut_ptr().cast(),
                from: ffi::lua_touserdata(state, object),
                size,
            };
            convert::clone(state, object, cloning)
                .map_err(|why| self.refuse(Place::Itself, &why))?;
            let bytes = std::slice::from_raw_parts(block.as_ptr().cast::<u8>(), size);
            self.out.extend_from_slice(bytes);
            self.user_values(object)
        }
    }

    unsafe fn user_values(&mut self, object: c_int) -> Result<(), Refusal> {
        // SAFETY: a full userdata at `object`, on top.
        unsafe {
            let values = flavour::user_values(self.state, object);
            self.out.push(values as u8);
            for n in 1..=values {
                flavour::push_user_value(self.state, object, n);
                self.value(object + 1, Place::UserValue)?;
                ffi::lua_settop(self.state, object);
            }
            Ok(())
        }
    }

    /// A userdata that is neither shared, nor cloned, nor converted.
    unsafe fn userdata(
        &mut self,
        index: c_int,
        pointer: *const c_void,
        place: Place,
    ) -> Result<(), Refusal> {
        // SAFETY: a full userdata at `index`.
        unsafe {
            self.called |= !self.context.named();
            if let Some(name) = names::of_value(self.state, self.context, index) {
                self.out.push(tag::NAMED);
                return self.string(&name, place);
            }
            let handle = deep::is_handle(self.state, index);
            if !handle && self.context.demotes() {
                self.light(pointer);
                return Ok(());
            }
            let what = if handle {
                "a lane handle"
            } else {
                "a userdata of this type"
            };
            Err(self.refuse(place, &format!("{what} cannot be transferred")))
        }
    }

    /// The next entry of the table at `table`, whose key is on top.
    /// [-1, +(0|2), -]
    unsafe fn next(&mut self, table: c_int) -> Result<bool, Refusal> {
        // SAFETY: a table and a key of it.
        unsafe {
            if !self.called {
                return Ok(ffi::lua_next(self.state, table) != 0);
            }
            // Code of the program ran meanwhile. If it took that key out of the
            // table, `lua_next` raises.
            let top = ffi::lua_gettop(self.state) - 1;
            ffi::lua_pushvalue(self.state, table);
            ffi::lua_insert(self.state, -2);
            if undisturbed(self.state, 2, ffi::LUA_MULTRET, next, std::ptr::null_mut())
                != ffi::LUA_OK
            {
                ffi::lua_settop(self.state, top);
                return Err(self.refuse(Place::Itself, "the table was changed while it was packed"));
            }
            Ok(ffi::lua_gettop(self.state) > top)
        }
    }
}

/// A key that can continue the array part: its value, else 0.
#[inline]
unsafe fn integer_key(state: *mut lua_State, key: c_int, key_type: c_int) -> ffi::lua_Integer {
    if key_type != ffi::LUA_TNUMBER {
        return 0;
    }
    // SAFETY: a number at `key`.
    unsafe {
        if flavour::INTEGERS {
            return if flavour::is_integer(state, key) {
                ffi::lua_tointeger(state, key)
            } else {
                0
            };
        }
        let number = ffi::lua_tonumber(state, key);
        if number.trunc() == number && number.abs() < 1e9 {
            number as ffi::lua_Integer
        } else {
            0
        }
    }
}

/// `(table, key) -> (key, value) or nothing` [e]
unsafe fn next(state: *mut lua_State, _: *mut c_void) -> c_int {
    // SAFETY: called with a table and a key.
    unsafe { if ffi::lua_next(state, 1) != 0 { 2 } else { 0 } }
}

struct Dump {
    out: *mut Vec<u8>,
    strip: bool,
}

/// `(function) -> ()` [m]
unsafe fn dump(state: *mut lua_State, data: *mut c_void) -> c_int {
    unsafe extern "C-unwind" fn write(
        _: *mut lua_State,
        data: *const c_void,
        len: usize,
        out: *mut c_void,
    ) -> c_int {
        if len > 0 {
            // SAFETY: `out` is the packer's buffer, which nobody else uses now;
            // Lua gives `len` bytes at `data`.
            unsafe {
                (*out.cast::<Vec<u8>>())
                    .extend_from_slice(std::slice::from_raw_parts(data.cast(), len));
            }
        }
        0
    }
    // SAFETY: `data` is the job that `function` passes; a Lua function is on top.
    unsafe {
        let job = &*data.cast::<Dump>();
        flavour::step(state);
        if flavour::dump(state, write, job.out.cast(), job.strip) != 0 {
            ffi::luaL_error(state, c"unable to dump the function".as_ptr());
        }
        0
    }
}
