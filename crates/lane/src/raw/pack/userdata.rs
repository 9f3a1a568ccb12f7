//! Packing full userdata.

use std::ffi::{c_int, c_void};

use mlua::ffi;

use super::Refusal;
use super::packer::{Packer, Place};
use crate::message::Handle;
use crate::raw::convert::{self, Cloning};
use crate::raw::{deep, flavour, names};
use crate::wire::tag;

impl Packer<'_> {
    /// Deep and clonable userdata. Answers whether it was one.
    pub(super) unsafe fn shared_or_cloned(
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

    pub(super) unsafe fn userdata_content(&mut self, object: c_int) -> Result<(), Refusal> {
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

    pub(super) unsafe fn user_values(&mut self, object: c_int) -> Result<(), Refusal> {
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
    pub(super) unsafe fn userdata(
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
}
