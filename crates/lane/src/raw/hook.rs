//! Cancellation by debug hook: how a lane that runs Lua code without ever
//! looking at its cancellation is stopped.
//!
//! Only the thread that runs a state may touch it, so another thread cannot
//! set the hook: in 5.4 setting it walks the list of active calls, which the
//! lane changes all the time. What Lua does allow, and its own interpreter does
//! for Ctrl-C, is to set a hook from a signal handler on the very thread. So:
//!
//! 1. The canceller writes the request into the lane's [`Hook`] and sends the
//!    lane's thread a signal, under the lock that the lane takes before its
//!    thread ends.
//! 2. The handler, on the lane's thread, sets the hook for the coroutine that
//!    runs and for those that wait for it. In the PUC flavours each coroutine
//!    has hooks of its own, so the lane's `coroutine.resume` and
//!    `coroutine.wrap` keep account of who runs ([`entered`]).
//! 3. The hook takes the request, so that it raises once, however many
//!    coroutines carry it, and removes itself. At the end of the program it is
//!    stubborn instead: it raises at every event until the body is left, so
//!    that a loop around a `pcall` does not go on for ever.
//!
//! A request that comes before the lane has entered its body is found there;
//! one that comes after it has left the body finds no thread to signal.
//!
//! The signal is `SIGURG`: ignored by default, so that a stray one does no
//! harm, and used by hardly anybody. A handler that was there before is called
//! for signals that are not ours. Where there are no signals (Windows) the
//! canceller sets the hook itself, as the reference does everywhere; that is
//! unverified.

use std::cell::Cell;
use std::ffi::c_int;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use mlua::ffi::{self, lua_State};
use parking_lot::Mutex;

use super::sentinel;

/// On which events a hook fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Every so many instructions.
    Count,
    /// On each line.
    Line,
    /// On each call.
    Call,
    /// On each return.
    Return,
    /// On all of these.
    All,
}

impl Event {
    fn mask(self) -> c_int {
        match self {
            Event::Count => ffi::LUA_MASKCOUNT,
            Event::Line => ffi::LUA_MASKLINE,
            Event::Call => ffi::LUA_MASKCALL,
            Event::Return => ffi::LUA_MASKRET,
            Event::All => {
                ffi::LUA_MASKCOUNT | ffi::LUA_MASKLINE | ffi::LUA_MASKCALL | ffi::LUA_MASKRET
            }
        }
    }
}

/// The part of a lane's record that hooks need.
#[derive(Default)]
pub struct Hook {
    /// A request that no hook has answered yet.
    armed: AtomicBool,
    /// Whether it stays unanswered until the body is left.
    stubborn: AtomicBool,
    mask: AtomicI32,
    count: AtomicI32,
    /// The thread, while it runs the body. Whoever signals it holds the lock.
    thread: Mutex<Option<sys::Thread>>,
}

/// Who runs on a thread: what the signal handler finds.
#[derive(Clone, Copy)]
struct Running {
    hook: *const Hook,
    /// The innermost coroutine, or the main one.
    top: *const Link,
    /// Whether work of ours is under way that no hook may interrupt: its error
    /// would be taken for a failure of the work.
    shielded: bool,
}

/// A coroutine that runs or waits for another, on the C stack of whoever
/// resumed it.
struct Link {
    state: *mut lua_State,
    below: *const Link,
}

thread_local! {
    // A signal handler has no argument of ours, so what it needs is found by
    // thread. Made without initialiser or destructor, and touched before any
    // signal can come, so that reading it in the handler allocates nothing.
    static RUNNING: Cell<Running> = const { Cell::new(Running { hook: ptr::null(), top: ptr::null(), shielded: false }) };
}

impl Hook {
    /// Asks for the hook. The request counts once: if one was not answered
    /// yet, this one takes its place.
    pub fn request(&self, event: Event, count: c_int) {
        self.ask(event, count, false);
    }

    /// Asks for a hook that raises again and again, at every event, until the
    /// body is left.
    pub fn insist(&self) {
        self.ask(Event::All, 1, true);
    }

    fn ask(&self, event: Event, count: c_int, stubborn: bool) {
        let thread = self.thread.lock();
        self.stubborn.store(stubborn, Ordering::Relaxed);
        self.mask.store(event.mask(), Ordering::Relaxed);
        self.count.store(count, Ordering::Relaxed);
        // Pairs with the acquire in `set_all` and `fire`: who sees the request
        // sees what it asks for.
        self.armed.store(true, Ordering::Release);
        if let Some(thread) = &*thread {
            thread.interrupt();
        }
    }

    /// Runs a body on this thread, where the hook can reach it.
    ///
    /// # Safety
    /// `state` is run by this thread, by nobody else, until this returns;
    /// `body` does not raise.
    pub unsafe fn reach<R>(&self, state: *mut lua_State, body: impl FnOnce() -> R) -> R {
        let main = Link {
            state,
            below: ptr::null(),
        };
        let before = RUNNING.replace(Running {
            hook: self,
            top: &raw const main,
            shielded: false,
        });
        *self.thread.lock() = Some(sys::Thread::current(state));
        // A request that came before there was a thread to signal.
        // SAFETY: the links are those of this thread.
        unsafe { set_all() };
        let result = body();
        *self.thread.lock() = None;
        RUNNING.set(before);
        // What was not answered is void: finalizers are not interrupted by it.
        self.armed.store(false, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { ffi::lua_sethook(state, None, 0, 0) };
        result
    }
}

/// Runs `body`, which resumes `coroutine`, where hooks can reach it too.
///
/// # Safety
/// `coroutine` stays alive until this returns; `body` does not raise.
pub unsafe fn entered<R>(coroutine: *mut lua_State, body: impl FnOnce() -> R) -> R {
    let before = RUNNING.get();
    let link = Link {
        state: coroutine,
        below: before.top,
    };
    RUNNING.set(Running {
        hook: before.hook,
        top: &raw const link,
        shielded: before.shielded,
    });
    if !before.hook.is_null() {
        // A request that was not answered reaches the coroutine that is entered
        // now, too: the signal may have come just before.
        // SAFETY: the links are those of this thread.
        unsafe { set_all() };
    }
    let result = body();
    RUNNING.set(before);
    result
}

/// Runs work of ours that no hook interrupts.
pub fn shield<R>(work: impl FnOnce() -> R) -> R {
    let before = RUNNING.get();
    RUNNING.set(Running {
        shielded: true,
        ..before
    });
    let result = work();
    // The links are those of before: whatever was entered meanwhile was left.
    RUNNING.set(before);
    result
}

/// Sets the hook in all coroutines that run or wait, if one is asked for. Also
/// called in the signal handler: takes no lock and no memory.
///
/// # Safety
/// On the thread that runs them.
unsafe fn set_all() {
    let running = RUNNING.get();
    // SAFETY: the record outlives the body that it runs; the links lie on the
    // C stack below.
    unsafe {
        let Some(hook) = running.hook.as_ref() else {
            return;
        };
        if !hook.armed.load(Ordering::Acquire) {
            return;
        }
        let (mask, count) = (
            hook.mask.load(Ordering::Relaxed),
            hook.count.load(Ordering::Relaxed),
        );
        let mut link = running.top;
        while let Some(one) = link.as_ref() {
            ffi::lua_sethook(one.state, Some(fire), mask, count);
            link = one.below;
        }
    }
}

/// The hook itself, on the lane's thread, where Lua code may raise.
unsafe extern "C-unwind" fn fire(state: *mut lua_State, _: *mut ffi::lua_Debug) {
    // SAFETY: Lua calls this in the state that runs. Nothing is held.
    unsafe {
        let Running { hook, shielded, .. } = RUNNING.get();
        if shielded {
            // The next event comes after the work.
            return;
        }
        let asked = hook.as_ref().is_some_and(|hook| {
            if hook.stubborn.load(Ordering::Relaxed) {
                hook.armed.load(Ordering::Acquire)
            } else {
                ffi::lua_sethook(state, None, 0, 0);
                hook.armed.swap(false, Ordering::AcqRel)
            }
        });
        if !asked {
            ffi::lua_sethook(state, None, 0, 0);
        } else {
            ffi::lua_checkstack(state, 1);
            ffi::lua_pushlightuserdata(state, sentinel::cancel_error());
            ffi::lua_error(state);
        }
    }
}

#[cfg(unix)]
mod sys {
    use std::ffi::{c_int, c_void};
    use std::mem::MaybeUninit;
    use std::sync::OnceLock;

    use mlua::ffi::lua_State;

    const SIGNAL: c_int = libc::SIGURG;

    /// A thread that can be interrupted.
    pub struct Thread(libc::pthread_t);

    // SAFETY: the identity of a thread is a number.
    unsafe impl Send for Thread {}

    impl Thread {
        /// The calling thread, prepared for `interrupt`.
        pub fn current(_: *mut lua_State) -> Thread {
            install();
            // SAFETY: the set is initialised before it is used. A mask that was
            // inherited must not keep the signal away.
            unsafe {
                let mut set = MaybeUninit::uninit();
                libc::sigemptyset(set.as_mut_ptr());
                libc::sigaddset(set.as_mut_ptr(), SIGNAL);
                libc::pthread_sigmask(libc::SIG_UNBLOCK, set.as_ptr(), std::ptr::null_mut());
                Thread(libc::pthread_self())
            }
        }

        /// Has the handler run on the thread.
        pub fn interrupt(&self) {
            // SAFETY: the thread lives: it takes this value away, under the
            // lock that the caller holds, before it ends.
            unsafe {
                libc::pthread_kill(self.0, SIGNAL);
            }
        }
    }

    type Handler = unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

    /// What was installed before us, for signals that are not ours. Settled
    /// once in the life of the process: handlers belong to the process, not to
    /// a universe.
    static PREVIOUS: OnceLock<Option<libc::sigaction>> = OnceLock::new();

    fn install() {
        PREVIOUS.get_or_init(|| {
            // SAFETY: both structures are ours; the handler has the signature
            // that SA_SIGINFO asks for.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                let handler: Handler = handle;
                action.sa_sigaction = handler as libc::sighandler_t;
                // Interrupted system calls go on, where the system can do that.
                action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
                libc::sigemptyset(&raw mut action.sa_mask);
                let mut previous: libc::sigaction = std::mem::zeroed();
                (libc::sigaction(SIGNAL, &raw const action, &raw mut previous) == 0)
                    .then_some(previous)
            }
        });
    }

    unsafe extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
        // SAFETY: on the thread that the signal interrupted. `set_all` does
        // what Lua allows in a signal handler.
        unsafe {
            if !super::RUNNING.get().hook.is_null() {
                super::set_all();
                return;
            }
            let Some(Some(previous)) = PREVIOUS.get() else {
                return;
            };
            match previous.sa_sigaction {
                libc::SIG_DFL | libc::SIG_IGN => {}
                handler if previous.sa_flags & libc::SA_SIGINFO != 0 => {
                    std::mem::transmute::<libc::sighandler_t, Handler>(handler)(
                        signal, info, context,
                    );
                }
                handler => {
                    std::mem::transmute::<libc::sighandler_t, unsafe extern "C" fn(c_int)>(handler)(
                        signal,
                    );
                }
            }
        }
    }
}

#[cfg(not(unix))]
mod sys {
    use mlua::ffi::lua_State;

    /// A thread that runs this state.
    pub struct Thread(*mut lua_State);

    // SAFETY: used under the lock of its `Hook`, as the reference uses it.
    unsafe impl Send for Thread {}

    impl Thread {
        pub fn current(state: *mut lua_State) -> Thread {
            Thread(state)
        }

        pub fn interrupt(&self) {
            // SAFETY: not sound by the letter, see the head of the file: there
            // is no other way on this system. The state lives as long as the
            // caller's lock is held.
            unsafe {
                mlua::ffi::lua_sethook(self.0, Some(super::fire), mlua::ffi::LUA_MASKCOUNT, 1)
            };
        }
    }
}
