//! Lindas as Lua sees them: the shared object, and its proxy in each state.

use std::any::Any;
use std::cell::{Cell, UnsafeCell};
use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::time::Duration;

use lane::raw::protect::discard;
use lane::raw::{Context, Kind, deep};
use lane::{Deep, Key, Message};
use linda::SlotRef;
use mlua::ffi::{self, lua_State};

use crate::args::{is_key, key, text_key};
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

/// How many slots a proxy remembers. A loop over so many keys finds them all
/// again without a look at the shared map.
const REMEMBERED: usize = 16;

/// The payload of a proxy.
///
/// Lua code may run while a method works, and call another method of the same
/// proxy: so methods have shared references to it only.
pub struct Proxy {
    /// The address of [`KIND`] while the proxy is alive. A finalizer of the
    /// program may still see it when its own has run.
    mark: Cell<*const Kind>,
    /// The linda.
    pub object: Arc<Object>,
    /// What the userdata of the state's context holds: the context, until that
    /// is closed. Null before the first call of a method.
    context: Cell<*const *const Context>,
    slots: UnsafeCell<Remembered>,
    /// See `count_call`.
    #[cfg(not(feature = "luajit"))]
    calls: Cell<u32>,
}

/// The slots used last.
struct Remembered {
    /// Under the keys by which they were used.
    slots: Vec<(Key, SlotRef<Key, Message>)>,
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
    let slots = Remembered {
        slots: Vec::new(),
        oldest: 0,
    };
    // SAFETY: the payload has the size that the kind says, and Lua's alignment
    // is that of any C type.
    unsafe {
        payload.cast::<Proxy>().write(Proxy {
            mark: Cell::new(&raw const KIND),
            object,
            context: Cell::new(std::ptr::null()),
            slots: UnsafeCell::new(slots),
            #[cfg(not(feature = "luajit"))]
            calls: Cell::new(0),
        });
    }
}

unsafe fn object(payload: *mut c_void) -> Option<Arc<dyn Deep>> {
    // SAFETY: `init` made the payload; without the mark only its memory is left.
    unsafe {
        let proxy = payload.cast::<Proxy>();
        is_alive(proxy).then(|| Arc::clone(&(*proxy).object) as Arc<dyn Deep>)
    }
}

/// The proxy that this payload is, unless it was finalized.
///
/// # Safety
/// `init` made the payload, and its memory is still there.
#[cfg(feature = "luajit")]
#[inline]
pub unsafe fn alive<'a>(payload: *const Proxy) -> Option<&'a Proxy> {
    // SAFETY: the caller's promise.
    unsafe { is_alive(payload).then(|| &*payload) }
}

/// Whether this block of the size of a proxy is one that was not finalized.
unsafe fn is_alive(proxy: *const Proxy) -> bool {
    // SAFETY: the block is large enough, and the mark at its place is plain
    // data.
    unsafe { (*proxy).mark.get() == &raw const KIND }
}

/// The proxy at `index`, if it is one. Takes two calls of Lua, where comparing
/// metatables takes five. [-0, +0, -]
///
/// # Safety
/// The reference is good as long as the value stays on the stack.
#[inline]
pub unsafe fn proxy_at<'a>(state: *mut lua_State, index: c_int) -> Option<&'a Proxy> {
    // SAFETY: only full userdata have this length, and only ours this mark: it
    // is an address in this library.
    unsafe {
        if ffi::lua_rawlen(state, index) != size_of::<Proxy>() {
            return None;
        }
        let proxy = ffi::lua_touserdata(state, index).cast::<Proxy>();
        if proxy.is_null() || !is_alive(proxy) {
            None
        } else {
            Some(&*proxy)
        }
    }
}

/// `__gc` of proxies.
pub unsafe extern "C-unwind" fn collect(state: *mut lua_State) -> c_int {
    // SAFETY: the mark is there as long as the payload is; without it only the
    // memory is left, which stays until the state has let go of it.
    unsafe {
        if let Some(proxy) = proxy_at(state, 1) {
            proxy.mark.set(std::ptr::null());
            // As a whole: if dropping a part panics, the others still go.
            discard(std::ptr::from_ref(proxy).read());
        }
        0
    }
}

impl Proxy {
    /// Counts a call. True once, when there were enough for something to be
    /// worth its cost.
    #[cfg(not(feature = "luajit"))]
    #[inline]
    pub fn count_call(&self) -> bool {
        const ENOUGH: u32 = 200;
        let calls = self.calls.get();
        if calls < ENOUGH {
            self.calls.set(calls + 1);
        }
        calls + 1 == ENOUGH
    }

    /// The slot with the key at `index`, which was checked. [-0, +0, -]
    ///
    /// # Safety
    /// Two free stack slots. The reference is good until the next call.
    #[inline]
    pub unsafe fn slot(&self, state: *mut lua_State, index: c_int) -> &SlotRef<Key, Message> {
        // SAFETY: the caller's promise; the key was checked.
        unsafe { self.nth_slot(state, index, 0) }
    }

    /// The same for one of several keys, the `nth` counted from 0: most likely
    /// it was that before.
    ///
    /// # Safety
    /// As for `slot`.
    #[inline]
    pub unsafe fn nth_slot(
        &self,
        state: *mut lua_State,
        index: c_int,
        nth: usize,
    ) -> &SlotRef<Key, Message> {
        // SAFETY: the caller's promise; the key was checked.
        unsafe {
            match self.known(state, index, nth) {
                Some(slot) => slot,
                None => self.remember(key(state, index).expect("a key that was checked")),
            }
        }
    }

    /// Where the context of the proxy's state is, once somebody has said so.
    #[inline]
    pub fn context(&self) -> &Cell<*const *const Context> {
        &self.context
    }

    /// The slot with the key at `index`, of which `text` is the string, if it is
    /// one. [-0, +0, -]
    ///
    /// # Safety
    /// As for `slot`.
    #[inline]
    pub unsafe fn slot_with(
        &self,
        state: *mut lua_State,
        index: c_int,
        text: Option<&[u8]>,
    ) -> &SlotRef<Key, Message> {
        // SAFETY: the caller's promise.
        unsafe {
            match text {
                Some(text) => self.slot_of(text),
                None => self.slot(state, index),
            }
        }
    }

    /// The slot whose key is this string.
    ///
    /// # Safety
    /// The reference is good until the next call.
    #[inline]
    pub unsafe fn slot_of(&self, text: &[u8]) -> &SlotRef<Key, Message> {
        // SAFETY: the caller's promise.
        unsafe {
            match self.known_text(text, 0) {
                Some(slot) => slot,
                None => self.remember(Key::String(text.into())),
            }
        }
    }

    /// The slot with the key at `index`, if it is one of those used last.
    /// [-0, +0, -]
    ///
    /// # Safety
    /// Two free stack slots. The reference is good until the next call of
    /// another method than this.
    #[inline]
    unsafe fn known(
        &self,
        state: *mut lua_State,
        index: c_int,
        nth: usize,
    ) -> Option<&SlotRef<Key, Message>> {
        // SAFETY: the caller's promise.
        unsafe {
            match text_key(state, index) {
                Some(text) => self.known_text(text, nth),
                None => self.find(nth, |known| is_key(state, index, known)),
            }
        }
    }

    #[inline]
    unsafe fn known_text(&self, text: &[u8], nth: usize) -> Option<&SlotRef<Key, Message>> {
        // SAFETY: the callers' promise.
        unsafe {
            self.find(
                nth,
                |known| matches!(known, Key::String(known) if known.as_slice() == text),
            )
        }
    }

    /// Looks at the `nth` first, then at those after it, then at the others.
    #[inline]
    unsafe fn find(&self, nth: usize, is: impl Fn(&Key) -> bool) -> Option<&SlotRef<Key, Message>> {
        // SAFETY: the state runs on one thread, and only `remember` changes it.
        let slots = unsafe { &(*self.slots.get()).slots };
        let (before, from) = slots.split_at(nth.min(slots.len()));
        let mut all = from.iter().chain(before);
        all.find(|(known, _)| is(known)).map(|(_, slot)| slot)
    }

    /// The slot of a key that was not used lately.
    ///
    /// # Safety
    /// No reference of an earlier call is in use. The new one is good until
    /// the next call.
    #[cold]
    unsafe fn remember(&self, key: Key) -> &SlotRef<Key, Message> {
        // SAFETY: the state runs on one thread, and the caller's promise.
        let remembered = unsafe { &mut *self.slots.get() };
        let slot = self.object.core.slot(&key);
        let at = remembered.oldest;
        remembered.oldest = (at + 1) % REMEMBERED;
        if at < remembered.slots.len() {
            remembered.slots[at] = (key, slot);
        } else {
            remembered.slots.push((key, slot));
        }
        &remembered.slots[at].1
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
