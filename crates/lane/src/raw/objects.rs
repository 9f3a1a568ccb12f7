//! The tables and functions of one message, kept where the collector sees them
//! while they are packed or rebuilt: the first few on the Lua stack, all others
//! in a table, so that neither the number nor the nesting of objects is bounded
//! by the stack.

use std::ffi::{c_int, c_void};

use mlua::ffi::{self, lua_State};

use super::flavour;
use super::protect::undisturbed;

/// How many objects stay on the stack.
const REGION: c_int = 24;

/// Stack slots that packing and unpacking must find reserved, with room for its
/// own work.
pub const SLOTS: c_int = 2 * REGION + 24;

/// Objects numbered from 0 in the order in which they were added.
pub struct Objects {
    state: *mut lua_State,
    /// Stack index of the spill table (nil until needed); the region follows.
    spill: c_int,
    /// How many objects have moved to the spill table.
    stored: u32,
    /// How many are in the region.
    live: c_int,
}

impl Objects {
    /// Reserves the region on top of the stack. [-0, +`Objects::WIDTH`, -]
    ///
    /// # Safety
    /// [`SLOTS`] free stack slots.
    pub unsafe fn new(state: *mut lua_State) -> Objects {
        // SAFETY: the caller's promise; `settop` fills with nil.
        unsafe {
            let top = ffi::lua_gettop(state);
            ffi::lua_settop(state, top + 1 + REGION);
            Objects {
                state,
                spill: top + 1,
                stored: 0,
                live: 0,
            }
        }
    }

    /// How many objects were added.
    pub fn len(&self) -> u32 {
        self.stored + self.live as u32
    }

    /// Whether adding one more takes memory.
    pub fn is_full(&self) -> bool {
        self.live == REGION
    }

    /// Adds the value at `index`. [-0, +0, -]: answers false for want of
    /// memory.
    ///
    /// # Safety
    /// A value at `index`, which is absolute; `protect::install` was called.
    pub unsafe fn add(&mut self, index: c_int) -> bool {
        // SAFETY: the region was reserved by `new`.
        unsafe {
            if self.live == REGION {
                let top = ffi::lua_gettop(self.state);
                ffi::lua_pushvalue(self.state, self.spill);
                for slot in 1..=REGION {
                    ffi::lua_pushvalue(self.state, self.spill + slot);
                }
                let mut stored = self.stored;
                if undisturbed(
                    self.state,
                    REGION + 1,
                    1,
                    move_to_spill,
                    (&raw mut stored).cast(),
                ) != ffi::LUA_OK
                {
                    ffi::lua_settop(self.state, top);
                    return false;
                }
                ffi::lua_replace(self.state, self.spill);
                self.moved();
            }
            self.place(index);
            true
        }
    }

    /// Adds the value on top. [-1, +0, m]
    ///
    /// # Safety
    /// As for [`add`](Objects::add); raises for want of memory.
    pub unsafe fn add_top(&mut self) {
        // SAFETY: the region was reserved by `new`; this type has no destructor.
        unsafe {
            if self.live == REGION {
                if self.stored == 0 {
                    ffi::lua_createtable(self.state, 2 * REGION, 0);
                    ffi::lua_replace(self.state, self.spill);
                }
                for slot in 1..=REGION {
                    ffi::lua_pushvalue(self.state, self.spill + slot);
                    flavour::raw_seti(self.state, self.spill, self.stored + slot as u32);
                }
                self.moved();
            }
            self.live += 1;
            ffi::lua_replace(self.state, self.spill + self.live);
        }
    }

    /// Pushes an object. [-0, +1, -]
    ///
    /// # Safety
    /// `number` is below [`len`](Objects::len); one free stack slot.
    pub unsafe fn push(&self, number: u32) {
        // SAFETY: the caller's promise.
        unsafe {
            if number < self.stored {
                flavour::raw_geti(self.state, self.spill, number + 1);
            } else {
                ffi::lua_pushvalue(self.state, self.spill + 1 + (number - self.stored) as c_int);
            }
        }
    }

    fn moved(&mut self) {
        self.stored += REGION as u32;
        self.live = 0;
    }

    unsafe fn place(&mut self, index: c_int) {
        // SAFETY: one slot of the region is free.
        unsafe {
            self.live += 1;
            ffi::lua_pushvalue(self.state, index);
            ffi::lua_replace(self.state, self.spill + self.live);
        }
    }
}

/// `(spill or nil, objects…) -> spill` [e]
unsafe fn move_to_spill(state: *mut lua_State, data: *mut c_void) -> c_int {
    // SAFETY: `data` is the count that `add` passes; the stack holds its values.
    unsafe {
        let stored = *data.cast::<u32>();
        if ffi::lua_type(state, 1) == ffi::LUA_TNIL {
            ffi::lua_createtable(state, 2 * REGION, 0);
            ffi::lua_replace(state, 1);
        }
        for slot in (1..=REGION).rev() {
            flavour::raw_seti(state, 1, stored + slot as u32);
        }
        1
    }
}
