//! Which object of a message has which number.

use std::ffi::c_void;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Numbers by address. A few are found faster in a list than in a map.
#[derive(Default)]
pub struct Identity {
    few: SmallVec<[(usize, u32); 8]>,
    many: FxHashMap<usize, u32>,
}

impl Identity {
    pub fn get(&self, pointer: *const c_void) -> Option<u32> {
        if self.many.is_empty() {
            self.few
                .iter()
                .find(|(known, _)| *known == pointer.addr())
                .map(|(_, number)| *number)
        } else {
            self.many.get(&pointer.addr()).copied()
        }
    }

    pub fn insert(&mut self, pointer: *const c_void, number: u32) {
        if self.many.is_empty() && self.few.len() < 8 {
            self.few.push((pointer.addr(), number));
        } else {
            self.many.extend(self.few.drain(..));
            self.many.insert(pointer.addr(), number);
        }
    }

    pub fn pointers(&self) -> impl Iterator<Item = usize> {
        self.few
            .iter()
            .map(|(pointer, _)| *pointer)
            .chain(self.many.keys().copied())
    }
}
