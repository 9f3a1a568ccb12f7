//! Lindas as Lua sees them: the shared object, and its proxy in each state.

use std::any::Any;
use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::time::Duration;

use lane::raw::{Kind, deep};
use lane::{Deep, Key, Message};
use linda::SlotRef;
use mlua::ffi::{self, lua_State};

use crate::args::{is_key, key};
use crate::linda_methods;

/// A linda: the queues, and what its maker said of it.
pub struct Object {
    /// The queues.
    pub core: linda::Linda<Key, Message>,
    /// Its name; may be empty.
    pub name: Vec<u8>,
    /// How long a blocked call waits before it looks for a cancel request that
    /// did not wake it.
    pub wake_period: Option<Duration>,
    /// What a `<close>` variable calls in states that have the linda from
    /// elsewhere; the state that made it keeps the function itself.
    pub close_handler: Option<Message>,
}

impl Deep for Object {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

/// How many slots a proxy remembers. A loop over a few keys finds them all
/// again without a look at the shared map.
const REMEMBERED: usize = 4;

/// The payload of a proxy.
pub struct Proxy {
    /// The linda.
    pub object: Arc<Object>,
    /// The slots used last, under the keys by which they were used.
    slots: [Option<(Key, SlotRef<Key, Message>)>; REMEMBERED],
    /// Which of them is overwritten next.
    oldest: usize,
}

/// How proxies of lindas are made.
pub static KIND: Kind = Kind {
    name: "linda",
    size: size_of::<Proxy>(),
    init,
    object,
    metatable: linda_methods::push_metatable,
};

unsafe fn init(payload: *mut c_void, object: Arc<dyn Deep>) {
    let Ok(object) = object.as_any().downcast::<Object>() else {
        unreachable!("the kind of lindas is used for lindas only")
    };
    // SAFETY: the payload has the size that the kind says, and Lua's alignment
    // is that of any C type.
    unsafe {
        payload.cast::<Proxy>().write(Proxy {
            object,
            slots: [const { None }; REMEMBERED],
            oldest: 0,
        });
    }
}

unsafe fn object(payload: *mut c_void) -> Arc<dyn Deep> {
    // SAFETY: `init` made the payload.
    unsafe { Arc::clone(&(*payload.cast::<Proxy>()).object) as Arc<dyn Deep> }
}

/// `__gc` of proxies.
pub unsafe extern "C-unwind" fn collect(state: *mut lua_State) -> c_int {
    // SAFETY: only the metatable of lindas has this, and Lua calls it once; a
    // program that calls it by itself through the debug library is on its own.
    unsafe {
        let payload = ffi::lua_touserdata(state, 1).cast::<Proxy>();
        if !payload.is_null() {
            // Without its metatable it is no proxy any more, whoever still has
            // it: the function of `lanes.finally` may.
            ffi::lua_pushnil(state);
            ffi::lua_setmetatable(state, 1);
            let _ = lane::raw::protect::catch(|| payload.drop_in_place());
        }
        0
    }
}

impl Proxy {
    /// The slot with the key at `index`, which was checked. [-0, +0, -]
    ///
    /// # Safety
    /// Two free stack slots.
    #[inline]
    pub unsafe fn slot(&mut self, state: *mut lua_State, index: c_int) -> &SlotRef<Key, Message> {
        let hit = self.slots.iter().position(|entry| {
            // SAFETY: the caller's promise.
            entry
                .as_ref()
                .is_some_and(|(known, _)| unsafe { is_key(state, index, known) })
        });
        let at = match hit {
            Some(at) => at,
            None => {
                // SAFETY: the caller's promise; the key was checked.
                let key = unsafe { key(state, index) }.expect("a key that was checked");
                let slot = self.object.core.slot(&key);
                let at = self.oldest;
                self.oldest = (at + 1) % REMEMBERED;
                self.slots[at] = Some((key, slot));
                at
            }
        };
        match &self.slots[at] {
            Some((_, slot)) => slot,
            None => unreachable!("filled above"),
        }
    }
}

/// Pushes the proxy of a linda. [-0, +1, e]
///
/// # Safety
/// Eight free stack slots; `object` stays where it is, also when this raises.
pub unsafe fn push(state: *mut lua_State, object: *const Arc<dyn Deep>) {
    // SAFETY: the caller's promise.
    unsafe { deep::push(state, object) };
}
