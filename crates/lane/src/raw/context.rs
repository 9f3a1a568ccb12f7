//! What belongs to one Lua state: its universe, its lane, its generation, and
//! the places where values wait while Lua may raise.

use std::any::Any;
use std::cell::{Cell, UnsafeCell};
use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::Arc;

use linda::{Cancel, Party};
use mlua::ffi::{self, lua_State};

use super::convert::{self, Verdict};
use super::{deep, flavour, metas, protect};
use crate::lane::Lane;
use crate::message::Message;
use crate::universe::{Fallback, Universe};

/// The interface that a state speaks. Lanes inherit it from the state that
/// starts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Generation {
    /// Lanes 2.x.
    V2 = 2,
    /// Lanes 3.x.
    V3 = 3,
    /// Lanes 4.x, today's.
    V4 = 4,
}

/// The context of a state. It sits in a userdata that the registry keeps; C
/// functions reach it through their first upvalue.
pub struct Context {
    universe: Arc<Universe>,
    lane: Option<Arc<Lane>>,
    cancel: Arc<Cancel>,
    generation: Cell<Generation>,
    /// Whether the generation was settled, by a choice or by first use.
    settled: Cell<bool>,
    /// The address of the module table, once there is one.
    module: Cell<*const c_void>,
    limbo: UnsafeCell<Vec<(usize, Parked)>>,
    buffer: Cell<Vec<u8>>,
    /// A message whose bytes are being read outside of any function of ours.
    held: UnsafeCell<Option<Message>>,
    /// Until something is done once; see `count_call`.
    calls: Cell<u32>,
    /// A message whose memory serves for the next one to be packed.
    spare: UnsafeCell<Option<Message>>,
    /// A message that was rebuilt, on its way back to senders.
    spent: UnsafeCell<Option<Message>>,
    named: Cell<bool>,
    /// Whether there is a guard; see [`guard`].
    guarded: Cell<bool>,
    /// Whether the universe was taken down.
    closed: Cell<bool>,
    label: CString,
}

/// Something with a destructor that waits while Lua code that may raise looks
/// at it. If Lua does raise, the next call at that depth drops it.
pub enum Parked {
    /// A message that is being unpacked.
    Message(Message),
    /// Several; the buffer of the vector stays where it is when the limbo
    /// grows.
    Messages(Vec<Message>),
    /// The text of an error.
    Text(String),
    /// Anything else. Its drop must not come back to Lua.
    Any(Box<dyn Any>),
}

static CONTEXT: u8 = 0;

impl Context {
    /// A context for a state of this universe; `lane` is the lane that the
    /// state runs, none for a master state.
    pub fn new(
        universe: Arc<Universe>,
        lane: Option<Arc<Lane>>,
        generation: Generation,
    ) -> Context {
        let cancel = match &lane {
            Some(lane) => Arc::clone(lane.cancel()),
            None => Arc::new(Cancel::new()),
        };
        let label = match &lane {
            Some(lane) if lane.is_named() => lane.name_bytes(),
            _ => b"main".to_vec(),
        };
        // A name with a zero byte is shown up to it.
        let label = label
            .split(|byte| *byte == 0)
            .next()
            .and_then(|name| CString::new(name).ok());
        Context {
            label: label.unwrap_or_default(),
            universe,
            settled: Cell::new(lane.is_some()),
            lane,
            cancel,
            generation: Cell::new(generation),
            module: Cell::new(std::ptr::null()),
            limbo: UnsafeCell::new(Vec::new()),
            buffer: Cell::new(Vec::new()),
            held: UnsafeCell::new(None),
            calls: Cell::new(0),
            spare: UnsafeCell::new(None),
            spent: UnsafeCell::new(None),
            named: Cell::new(false),
            guarded: Cell::new(false),
            closed: Cell::new(false),
        }
    }

    /// The universe of the state.
    pub fn universe(&self) -> &Arc<Universe> {
        &self.universe
    }

    /// The lane that the state runs; none in a master state.
    pub fn lane(&self) -> Option<&Arc<Lane>> {
        self.lane.as_ref()
    }

    /// The interface that the state speaks.
    #[inline]
    pub fn generation(&self) -> Generation {
        self.generation.get()
    }

    /// Chooses the interface; refused once another one was settled.
    pub fn choose(&self, generation: Generation) -> Result<(), Generation> {
        if self.settled.get() && self.generation.get() != generation {
            return Err(self.generation.get());
        }
        self.settled.set(true);
        self.generation.set(generation);
        Ok(())
    }

    /// Whether the interface was settled.
    pub fn is_settled(&self) -> bool {
        self.settled.get()
    }

    /// Who blocks when this state blocks.
    #[inline]
    pub fn party(&self) -> Party<'_> {
        Party {
            cancel: &self.cancel,
            spin: self.universe.spin(),
            observer: self
                .lane
                .as_deref()
                .map(|lane| lane as &dyn linda::Observer),
            recheck: None,
        }
    }

    /// What error messages call this state: the name that the lane was given
    /// at its start, or `main`.
    pub(crate) fn name(&self) -> std::borrow::Cow<'_, str> {
        self.label.to_string_lossy()
    }

    /// [`name`](Context::name), as a C string that lives as long as the
    /// context: for code that may raise.
    pub(crate) fn label(&self) -> *const c_char {
        self.label.as_ptr()
    }

    /// Whether functions travel without debug information.
    pub fn strips(&self) -> bool {
        self.generation.get() == Generation::V4 && self.universe.settings().strip_functions
    }

    /// How often one value may be converted.
    pub(crate) fn conversion_attempts(&self) -> u32 {
        self.universe.settings().convert_max_attempts
    }

    /// What becomes of an object without a metatable.
    pub(crate) fn conversion_fallback(&self) -> Verdict {
        match self.universe.settings().convert_fallback {
            None => Verdict::Itself,
            Some(Fallback::Null) => Verdict::Nil,
            Some(Fallback::Decay) => Verdict::Decay,
        }
    }

    /// Whether refusals also name the place as the reference does.
    pub(crate) fn verbose(&self) -> bool {
        self.universe.settings().verbose_errors
    }

    /// Whether userdata that cannot travel becomes light userdata.
    pub(crate) fn demotes(&self) -> bool {
        self.generation.get() == Generation::V2 || self.universe.settings().demote_full_userdata
    }

    /// Whether this is the address of the state's module table.
    pub(crate) fn is_module(&self, pointer: *const c_void) -> bool {
        self.module.get() == pointer
    }

    /// Remembers the address of the module table, which lives as long as the
    /// state does.
    pub fn set_module(&self, pointer: *const c_void) {
        self.module.set(pointer);
    }

    /// Whether the lookup names were collected; true from the second call on.
    pub fn named(&self) -> bool {
        self.named.get()
    }

    pub(crate) fn set_named(&self, named: bool) {
        self.named.set(named);
    }

    /// An empty buffer, with the capacity of an earlier one.
    pub(crate) fn take_buffer(&self) -> Vec<u8> {
        self.buffer.take()
    }

    /// Gives a buffer back.
    pub(crate) fn give_buffer(&self, mut buffer: Vec<u8>) {
        /// More than this is not worth keeping.
        const KEEP: usize = 64 * 1024;
        if buffer.capacity() <= KEEP {
            buffer.clear();
            self.buffer.set(buffer);
        }
    }

    /// A message whose memory serves for the next one to be packed.
    #[inline]
    #[allow(clippy::mut_from_ref)]
    pub fn spare(&self) -> &mut Option<Message> {
        // SAFETY: the state runs on one thread, and who borrows this neither
        // calls Lua meanwhile nor comes back here.
        unsafe { &mut *self.spare.get() }
    }

    /// A message that was rebuilt, and how many like it may wait in a slot.
    #[inline]
    #[allow(clippy::mut_from_ref)]
    pub fn spent(&self) -> &mut Option<Message> {
        // SAFETY: as for `spare`.
        unsafe { &mut *self.spent.get() }
    }

    /// A message whose bytes are being read outside of any function of ours:
    /// for the one user who makes sure that nobody else changes it meanwhile.
    #[inline]
    #[allow(clippy::mut_from_ref)]
    pub fn held(&self) -> &mut Option<Message> {
        // SAFETY: as for `spare`.
        unsafe { &mut *self.held.get() }
    }

    /// Counts a call. True once, when there were enough for something to be
    /// worth its cost.
    #[inline]
    pub fn count_call(&self) -> bool {
        /// LuaJIT compiles a loop at its 56th iteration.
        const ENOUGH: u32 = 200;
        let calls = self.calls.get() + 1;
        if calls <= ENOUGH {
            self.calls.set(calls);
        }
        calls == ENOUGH
    }

    /// Parks a value until [`unpark`](Context::unpark). Answers its place.
    // Not inlined, so that its frame lies deeper in the C stack than that of
    // the function of ours that Lua has called.
    #[inline(never)]
    pub fn park(&self, parked: Parked) -> usize {
        let here = 0_u8;
        // SAFETY: the state runs on one thread, and no reference into the
        // vector outlives this call.
        let limbo = unsafe { &mut *self.limbo.get() };
        limbo.push(((&raw const here).addr(), parked));
        limbo.len() - 1
    }

    /// Drops what was parked at this place, and whatever was parked later by
    /// calls that raised.
    #[inline]
    pub fn unpark(&self, place: usize) {
        // SAFETY: as in `park`; dropping messages runs no Lua code and comes
        // back to no limbo.
        unsafe { (*self.limbo.get()).truncate(place) };
    }

    /// Ends the parking of a message that was rebuilt: its memory is kept to be
    /// used again, if it is worth it.
    #[inline]
    pub(crate) fn retire(&self, place: usize) {
        // SAFETY: as in `unpark`.
        let limbo = unsafe { &mut *self.limbo.get() };
        limbo.truncate(place + 1);
        if let Some((_, Parked::Message(message))) = limbo.pop()
            && message.most_spares() > 0
        {
            *self.spent() = Some(message);
        }
    }

    /// To be called at the start of each function that Lua calls: drops what
    /// was parked by calls that have raised since. They were as deep in the C
    /// stack as this one or deeper, whereas whoever still waits for what was
    /// parked has called us, and lies above.
    #[inline(always)]
    pub fn sweep(&self) {
        let here = 0_u8;
        // SAFETY: as in `park`.
        let limbo = unsafe { &mut *self.limbo.get() };
        while limbo
            .last()
            .is_some_and(|(depth, _)| *depth <= (&raw const here).addr())
        {
            limbo.pop();
        }
    }
}

/// Prepares a state for transfers and gives it its context, which is made last
/// of all: `make` gives what comes from `Box::into_raw`, and it belongs to the
/// state from then on. [-0, +0, m]
///
/// # Safety
/// `state` must be valid and have no context yet; `make` must not raise, nor
/// hold anything with a destructor before it is called.
pub unsafe fn install(state: *mut lua_State, make: impl FnOnce() -> *mut Context) {
    // SAFETY: the caller's promise.
    unsafe {
        let slot = flavour::new_userdata(state, size_of::<*mut Context>()).cast::<*mut Context>();
        slot.write(std::ptr::null_mut());
        ffi::lua_createtable(state, 0, 1);
        ffi::lua_pushcfunction(state, collect);
        ffi::lua_setfield(state, -2, c"__gc".as_ptr());
        ffi::lua_setmetatable(state, -2);
        ffi::lua_rawsetp(state, ffi::LUA_REGISTRYINDEX, (&raw const CONTEXT).cast());
        protect::install(state);
        metas::install(state);
        deep::install(state);
        convert::install(state);
        flavour::install(state);
        // Nothing raises from here on.
        slot.write(make());
    }
}

/// Pushes the userdata that holds the context, for use as an upvalue.
/// [-0, +1, -]: nil when there is none.
///
/// # Safety
/// One free stack slot.
pub unsafe fn push(state: *mut lua_State) {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::lua_rawgetp(state, ffi::LUA_REGISTRYINDEX, (&raw const CONTEXT).cast());
    }
}

/// The context of a state, if it has one that is not closed. [-0, +0, -]
///
/// # Safety
/// `state` must be valid, with one free stack slot; the reference is good as
/// long as the state is.
pub unsafe fn of_state<'a>(state: *mut lua_State) -> Option<&'a Context> {
    // SAFETY: the registry entry is ours.
    unsafe {
        push(state);
        let context = at(state, -1);
        ffi::lua_settop(state, -2);
        context
    }
}

/// The context in the userdata at `index`, unless it is closed. [-0, +0, -]
///
/// # Safety
/// The value at `index` is what [`push`] pushes.
#[inline]
pub unsafe fn at<'a>(state: *mut lua_State, index: c_int) -> Option<&'a Context> {
    // SAFETY: the userdata holds a pointer that is null once closed; its block
    // of memory lives until the state's memory goes, later than any code.
    unsafe {
        let slot = ffi::lua_touserdata(state, index).cast::<*mut Context>();
        if slot.is_null() {
            None
        } else {
            (*slot).as_ref()
        }
    }
}

/// `__gc` of the context: the state is closing. A master state takes its
/// universe down before the context goes.
unsafe extern "C-unwind" fn collect(state: *mut lua_State) -> c_int {
    // SAFETY: index 1 is the userdata; the pointer is taken out once.
    unsafe {
        let slot = ffi::lua_touserdata(state, 1).cast::<*mut Context>();
        let Some(context) = (*slot).as_ref() else {
            return 0;
        };
        let status = close(state, context);
        let context = std::mem::replace(&mut *slot, std::ptr::null_mut());
        protect::discard(Box::from_raw(context));
        if status != ffi::LUA_OK {
            // In 5.4 the interpreter warns of it, elsewhere it is silent.
            ffi::lua_error(state);
        }
        0
    }
}

/// Takes the universe of a master state down, once, and lets the Lua-facing
/// side do its last things. [-0, +(0|1), -]: leaves an error value when the
/// status is not 0.
unsafe fn close(state: *mut lua_State, context: &Context) -> c_int {
    if context.lane.is_some() || context.closed.replace(true) {
        return ffi::LUA_OK;
    }
    // Older generations know hard cancellation only.
    let softly = context.generation() == Generation::V4;
    let mut ended = protect::catch(|| context.universe.close(softly)).unwrap_or(false);
    // SAFETY: the state is closing, and still whole; `protected` needs three
    // slots.
    unsafe {
        if ffi::lua_checkstack(state, 12) == 0 {
            return ffi::LUA_OK;
        }
        protect::protected(state, 0, 0, closed, (&raw mut ended).cast())
    }
}

/// `() -> ()` [e]: what the Lua-facing side does at the end.
unsafe fn closed(state: *mut lua_State, data: *mut c_void) -> c_int {
    // SAFETY: `data` is the answer that `close` passes; the context is still
    // there, and nothing is held.
    unsafe {
        let ended = *data.cast::<bool>();
        if let Some(context) = of_state(state) {
            let closed = context.universe.hooks().closed;
            closed(state, ended);
        }
        0
    }
}

/// In the registry: the guard of a master state.
static GUARD: u8 = 0;

/// Has the universe taken down as soon as the state closes, while the proxies
/// and handles that exist now are still good: a closing state finalizes the
/// newest object first, and the context is the oldest of ours. So the guard is
/// made anew after each of them. [-0, +0, m]
///
/// # Safety
/// Four free stack slots; nothing with a destructor is held.
pub unsafe fn guard(state: *mut lua_State, context: &Context) {
    // SAFETY: the caller's promise.
    unsafe {
        super::flavour::new_userdata(state, 1);
        ffi::lua_createtable(state, 0, 1);
        ffi::lua_pushcfunction(state, collect_guard);
        ffi::lua_setfield(state, -2, c"__gc".as_ptr());
        ffi::lua_setmetatable(state, -2);
        ffi::lua_rawsetp(state, ffi::LUA_REGISTRYINDEX, (&raw const GUARD).cast());
        context.guarded.set(true);
    }
}

/// Makes the guard anew if there is one; see [`guard`]. [-0, +0, m]
///
/// # Safety
/// As for [`guard`].
pub unsafe fn renew_guard(state: *mut lua_State) {
    // SAFETY: the caller's promise.
    unsafe {
        if let Some(context) = of_state(state)
            && context.guarded.get()
        {
            guard(state, context);
        }
    }
}

/// `__gc` of a guard. The last one is kept by the registry, so it is finalized
/// by the closing of the state only.
unsafe extern "C-unwind" fn collect_guard(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this with a guard.
    unsafe {
        ffi::lua_rawgetp(state, ffi::LUA_REGISTRYINDEX, (&raw const GUARD).cast());
        let last = ffi::lua_rawequal(state, 1, -1) != 0;
        ffi::lua_settop(state, 1);
        if last
            && let Some(context) = of_state(state)
            && close(state, context) != ffi::LUA_OK
        {
            ffi::lua_error(state);
        }
        0
    }
}
