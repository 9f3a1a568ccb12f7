//! Packing functions.

use std::ffi::{c_int, c_void};

use mlua::ffi::{self, lua_State};

use super::Refusal;
use super::packer::{Packer, Place};
use crate::raw::protect::undisturbed;
use crate::raw::{flavour, names};
use crate::wire::tag;

impl Packer<'_> {
    pub(super) unsafe fn function(&mut self, index: c_int, place: Place) -> Result<(), Refusal> {
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

    pub(super) unsafe fn function_content(&mut self, function: c_int) -> Result<(), Refusal> {
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
