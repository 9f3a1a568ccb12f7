//! Unpacking what is more than a scalar: objects and their contents, in the
//! order of the bytes.

use std::ffi::{c_char, c_int, c_void};

use mlua::ffi::{self, lua_State};

use super::{Fault, Result, Unpacker, string, tagged_scalar};
use crate::message::Handle;
use crate::raw::convert::{self, Cloning};
use crate::raw::{deep, flavour, metas, names};
use crate::wire::tag;

impl Unpacker<'_> {
    /// Pushes the next value. [-0, +1, e]
    pub(super) unsafe fn value(&mut self) -> Result<()> {
        let tag = self.reader.u8().ok_or(Fault::Malformed)?;
        // SAFETY: the slots are reserved.
        unsafe { self.tagged(tag) }
    }

    unsafe fn tagged(&mut self, tag: u8) -> Result<()> {
        // SAFETY: the slots are reserved.
        unsafe {
            let state = self.state;
            match tag {
                tag::REF => {
                    let number = self.number()?;
                    self.objects.push(number);
                }
                tag::TABLE => self.table()?,
                tag::KNOWN => {
                    let tag = self.reader.u8().ok_or(Fault::Malformed)?;
                    let name = string(&mut self.reader, tag)?;
                    names::push_value(state, name);
                    if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
                        self.reader.u64().ok_or(Fault::Malformed)?;
                        self.mark_old();
                        self.add();
                    } else {
                        ffi::lua_settop(state, -2);
                        self.table()?;
                    }
                }
                tag::FUNCTION | tag::CLONE if !self.trusted => return Err(Fault::Malformed),
                tag::FUNCTION => self.function()?,
                tag::CLONE => {
                    let size = self
                        .reader
                        .u32()
                        .filter(|size| *size as usize <= self.reader.left());
                    let size = size.ok_or(Fault::Malformed)? as usize;
                    let values = self.reader.u8().ok_or(Fault::Malformed)?;
                    let block = flavour::new_userdata_with(state, size, values);
                    block.cast::<u8>().write_bytes(0, size);
                    self.add();
                }
                tag::DEEP => {
                    let index = self.reader.u32().ok_or(Fault::Malformed)? as usize;
                    match (&(*self.handles)).get(index).and_then(Handle::object) {
                        Some(object) => {
                            deep::push(state, object);
                        }
                        None => return Err(Fault::Malformed),
                    }
                }
                tag::PROXY => {
                    let index = self.reader.u32().ok_or(Fault::Malformed)? as usize;
                    let Some(object) = (&(*self.handles)).get(index).and_then(Handle::object)
                    else {
                        return Err(Fault::Malformed);
                    };
                    if !deep::push(state, object) {
                        self.mark_old();
                    }
                    self.add();
                }
                tag::NAMED => self.named()?,
                tag::GLOBALS => {
                    ffi::lua_pushglobaltable(state);
                }
                tag::MODULE => (self.context.universe().hooks().push_module)(state),
                tag => tagged_scalar(state, &mut self.reader, tag)?,
            }
            Ok(())
        }
    }

    /// A new table with the sizes that follow. [-0, +1, m]
    unsafe fn table(&mut self) -> Result<()> {
        // SAFETY: the slots are reserved.
        unsafe {
            let array = self.reader.u32().ok_or(Fault::Malformed)?;
            let hash = self.reader.u32().ok_or(Fault::Malformed)?;
            // Each entry takes at least a byte, so these are bounds.
            let most = c_int::try_from(self.reader.left()).unwrap_or(c_int::MAX);
            let clamp = |size: u32| c_int::try_from(size).unwrap_or(c_int::MAX).min(most);
            ffi::lua_createtable(self.state, clamp(array), clamp(hash));
            self.add();
            Ok(())
        }
    }

    /// The number of an object that exists.
    fn number(&mut self) -> Result<u32> {
        self.reader
            .u32()
            .filter(|number| *number < self.objects.len())
            .ok_or(Fault::Malformed)
    }

    /// Numbers the object on top, and leaves it there. [-0, +0, m]
    unsafe fn add(&mut self) {
        // SAFETY: the slots are reserved.
        unsafe {
            ffi::lua_pushvalue(self.state, -1);
            self.objects.add_top();
        }
    }

    /// Reads the metatable of the object at `object`, on top, if one follows.
    /// It is set at once if it is whole; one that this message brings is set
    /// when its fields are there, because Lua looks for `__gc` at that moment.
    unsafe fn metatable(&mut self, object: c_int, wanted: bool) -> Result<()> {
        // SAFETY: an object at `object`; the slots are reserved.
        unsafe {
            let state = self.state;
            if self.reader.peek() != Some(tag::META) {
                return Ok(());
            }
            self.reader.u8();
            let identity = self.reader.u64().ok_or(Fault::Malformed)?;
            // The copy is read in any case: its objects have numbers.
            self.value()?;
            if ffi::lua_type(state, -1) != ffi::LUA_TTABLE {
                return Err(Fault::Malformed);
            }
            if metas::get(state, identity) {
                ffi::lua_remove(state, -2);
            } else {
                ffi::lua_settop(state, -2);
                metas::set(state, object + 1, identity);
                self.fresh = true;
            }
            if !wanted {
                ffi::lua_settop(state, object);
            } else if self.fresh || ffi::lua_type(state, object) == ffi::LUA_TUSERDATA {
                self.defer(object);
            } else {
                ffi::lua_setmetatable(state, object);
            }
            Ok(())
        }
    }

    /// Keeps an object and the metatable on top until the end. [-1, +0, m]
    unsafe fn defer(&mut self, object: c_int) {
        // SAFETY: the slots are reserved.
        unsafe {
            let state = self.state;
            if ffi::lua_type(state, self.later) != ffi::LUA_TTABLE {
                ffi::lua_createtable(state, 2, 0);
                ffi::lua_replace(state, self.later);
            }
            flavour::raw_seti(state, self.later, self.deferred + 1);
            ffi::lua_pushvalue(state, object);
            flavour::raw_seti(state, self.later, self.deferred + 2);
            self.deferred += 2;
        }
    }

    /// Sets the metatables that were deferred, and finishes clones.
    pub(super) unsafe fn finish(&mut self) {
        // SAFETY: the slots are reserved; the metatables are whole now.
        unsafe {
            let state = self.state;
            let top = ffi::lua_gettop(state);
            for n in (0..self.deferred).step_by(2) {
                flavour::raw_geti(state, self.later, n + 2);
                flavour::raw_geti(state, self.later, n + 1);
                if ffi::lua_type(state, top + 1) == ffi::LUA_TUSERDATA && !self.consume {
                    // The bytes stay in the message: this must be a clone of
                    // them, with resources of its own.
                    let size = ffi::lua_rawlen(state, top + 1);
                    let block = ffi::lua_touserdata(state, top + 1);
                    let source = flavour::new_userdata(state, size);
                    source
                        .cast::<u8>()
                        .copy_from_nonoverlapping(block.cast(), size);
                    ffi::lua_insert(state, top + 2);
                    convert::clone_with_metatable(
                        state,
                        &Cloning {
                            to: block,
                            from: source,
                            size,
                        },
                    );
                }
                ffi::lua_setmetatable(state, top + 1);
                ffi::lua_settop(state, top);
            }
        }
    }

    pub(super) unsafe fn userdata_content(&mut self, object: c_int) -> Result<()> {
        // SAFETY: a userdata of ours at `object`, on top, of this size.
        unsafe {
            if deep::is_proxy(self.state, object) {
                return self.user_values(object);
            }
            self.metatable(object, true)?;
            let size = ffi::lua_rawlen(self.state, object);
            let bytes = self.reader.bytes(size).ok_or(Fault::Malformed)?;
            ffi::lua_touserdata(self.state, object)
                .cast::<u8>()
                .copy_from_nonoverlapping(bytes.as_ptr(), size);
            self.user_values(object)
        }
    }

    unsafe fn user_values(&mut self, object: c_int) -> Result<()> {
        // SAFETY: a userdata at `object`, on top.
        unsafe {
            let values = self.reader.u8().ok_or(Fault::Malformed)?;
            let wanted = !self.is_old(object);
            for n in 1..=values {
                self.value()?;
                if wanted {
                    flavour::put_user_value(self.state, object, c_int::from(n));
                } else {
                    ffi::lua_settop(self.state, object);
                }
            }
            Ok(())
        }
    }

    /// Notes that the proxy on top was in the state before: it keeps its user
    /// values. [-0, +0, m]
    unsafe fn mark_old(&mut self) {
        // SAFETY: the slots are reserved.
        unsafe {
            let state = self.state;
            if ffi::lua_type(state, self.later) != ffi::LUA_TTABLE {
                ffi::lua_createtable(state, 2, 1);
                ffi::lua_replace(state, self.later);
            }
            ffi::lua_pushvalue(state, -1);
            ffi::lua_pushboolean(state, 1);
            ffi::lua_rawset(state, self.later);
        }
    }

    unsafe fn is_old(&self, object: c_int) -> bool {
        // SAFETY: the slots are reserved.
        unsafe {
            let state = self.state;
            if ffi::lua_type(state, self.later) != ffi::LUA_TTABLE {
                return false;
            }
            ffi::lua_pushvalue(state, object);
            ffi::lua_rawget(state, self.later);
            let old = ffi::lua_toboolean(state, -1) != 0;
            ffi::lua_settop(state, -2);
            old
        }
    }

    pub(super) unsafe fn table_content(&mut self, mut table: c_int) -> Result<()> {
        // SAFETY: a table at `table`, on top; the slots are reserved.
        unsafe {
            let state = self.state;
            if self.is_old(table) {
                // The receiver's own table stays as it is: what was sent along
                // is read into another.
                ffi::lua_createtable(state, 0, 0);
                table += 1;
                self.metatable(table, false)?;
            } else {
                self.metatable(table, true)?;
            }
            let mut n = 0;
            loop {
                let tag = self.reader.u8().ok_or(Fault::Malformed)?;
                if tag == tag::END {
                    break;
                }
                n += 1;
                if tag != tag::NIL {
                    self.tagged(tag)?;
                    flavour::raw_seti(state, table, n);
                }
            }
            loop {
                let tag = self.reader.u8().ok_or(Fault::Malformed)?;
                if tag == tag::END {
                    return Ok(());
                }
                self.tagged(tag)?;
                let key = ffi::lua_type(state, -1);
                if key == ffi::LUA_TNIL
                    || key == ffi::LUA_TNUMBER && ffi::lua_tonumber(state, -1).is_nan()
                {
                    return Err(Fault::Malformed);
                }
                self.value()?;
                ffi::lua_rawset(state, table);
            }
        }
    }

    unsafe fn function(&mut self) -> Result<()> {
        struct Source {
            data: *const u8,
            len: usize,
        }
        unsafe extern "C-unwind" fn read(
            _: *mut lua_State,
            data: *mut c_void,
            len: *mut usize,
        ) -> *const c_char {
            // SAFETY: `data` is the source below, `len` is Lua's.
            unsafe {
                let source = &mut *data.cast::<Source>();
                *len = source.len;
                source.len = 0;
                source.data.cast()
            }
        }
        // SAFETY: the slots are reserved; the bytes come from `lua_dump` of
        // the same build, packed by this process.
        unsafe {
            let upvalues = self.reader.u8().ok_or(Fault::Malformed)?;
            let len = self.reader.u32().ok_or(Fault::Malformed)?;
            let code = self.reader.bytes(len as usize).ok_or(Fault::Malformed)?;
            let mut source = Source {
                data: code.as_ptr(),
                len: code.len(),
            };
            if flavour::load(
                self.state,
                read,
                (&raw mut source).cast(),
                c"=function".as_ptr(),
            ) != ffi::LUA_OK
            {
                return Err(Fault::OnTop);
            }
            let _ = upvalues;
            self.add();
            flavour::step(self.state);
            Ok(())
        }
    }

    pub(super) unsafe fn function_content(&mut self, function: c_int) -> Result<()> {
        // SAFETY: a Lua function at `function`, on top; the slots are reserved.
        unsafe {
            let state = self.state;
            let mut n = 1;
            while !ffi::lua_getupvalue(state, function, n).is_null() {
                ffi::lua_settop(state, function);
                let tag = self.reader.u8().ok_or(Fault::Malformed)?;
                if tag == tag::JOIN {
                    let owner = self.number()?;
                    let which = c_int::from(self.reader.u8().ok_or(Fault::Malformed)?);
                    self.objects.push(owner);
                    if ffi::lua_iscfunction(state, -1) != 0
                        || ffi::lua_type(state, -1) != ffi::LUA_TFUNCTION
                        || ffi::lua_getupvalue(state, -1, which).is_null()
                    {
                        return Err(Fault::Malformed);
                    }
                    flavour::upvalue_join(state, function, n, function + 1, which);
                } else {
                    self.tagged(tag)?;
                    ffi::lua_setupvalue(state, function, n);
                }
                ffi::lua_settop(state, function);
                n += 1;
            }
            Ok(())
        }
    }

    unsafe fn named(&mut self) -> Result<()> {
        // SAFETY: the slots are reserved; no destructor is held.
        unsafe {
            let state = self.state;
            let tag = self.reader.u8().ok_or(Fault::Malformed)?;
            let name = string(&mut self.reader, tag)?;
            if let Some(field) = name.strip_prefix(b"lanes/") {
                // Our own functions are there in every state.
                (self.context.universe().hooks().push_module)(state);
                flavour::push_bytes(state, field);
                ffi::lua_rawget(state, -2);
                ffi::lua_remove(state, -2);
                if ffi::lua_type(state, -1) == ffi::LUA_TNIL {
                    ffi::lua_settop(state, -2);
                    names::push_value(state, name);
                }
            } else {
                names::push_value(state, name);
            }
            if ffi::lua_type(state, -1) != ffi::LUA_TNIL {
                return Ok(());
            }
            flavour::push_bytes(state, name);
            // The first step of the path is the library or module.
            let first = name.split(|byte| *byte == b'/').next().unwrap_or(name);
            flavour::push_bytes(state, first);
            let advice = if names::is_library(first) {
                c"'%s' not found in %s destination transfer database (give the lane the library '%s')"
            } else {
                c"'%s' not found in %s destination transfer database (require '%s' there first, or name it in the option 'required' of lanes.gen)"
            };
            let (shown, first) = (ffi::lua_tostring(state, -2), ffi::lua_tostring(state, -1));
            ffi::lua_pushfstring(state, advice.as_ptr(), shown, self.context.label(), first);
            Err(Fault::OnTop)
        }
    }
}
