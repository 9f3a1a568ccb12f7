//! Packing tables.

use std::ffi::{c_int, c_void};

use mlua::ffi::{self, lua_State};

use super::Refusal;
use super::packer::{Packer, Place};
use crate::raw::context::Generation;
use crate::raw::protect::undisturbed;
use crate::raw::{flavour, metas, names};
use crate::wire::tag;

impl Packer<'_> {
    pub(super) unsafe fn table(
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
    pub(super) unsafe fn metatable(&mut self, object: c_int) -> Result<(), Refusal> {
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

    pub(super) unsafe fn table_content(&mut self, table: c_int) -> Result<(), Refusal> {
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
