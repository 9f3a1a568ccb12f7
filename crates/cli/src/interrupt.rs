//! Ctrl-C: the chunk that runs ends with the error `interrupted!`, so the state
//! is closed and its lanes come to their ends. A second one, or one at the
//! prompt, ends the process at once. All as in the stock interpreter.

use std::ffi::c_int;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use mlua::ffi;

/// The state that a signal stops. Signal handlers have no argument of ours, and
/// the process runs one session.
static STATE: AtomicPtr<ffi::lua_State> = AtomicPtr::new(ptr::null_mut());

/// Runs a chunk that Ctrl-C may stop.
///
/// # Safety
/// `state` is run by this thread, the main one, until `chunk` returns; `chunk`
/// does not raise.
pub(crate) unsafe fn during<R>(state: *mut ffi::lua_State, chunk: impl FnOnce() -> R) -> R {
    // The store comes before the handler: no signal finds the old state.
    STATE.store(state, Ordering::Release);
    listen(true);
    let result = chunk();
    listen(false);
    result
}

#[cfg(unix)]
fn listen(yes: bool) {
    let handler: extern "C" fn(c_int) = stop;
    let action = if yes {
        handler as libc::sighandler_t
    } else {
        libc::SIG_DFL
    };
    // SAFETY: installs a handler with the right signature that does only what a
    // signal handler may, or the default.
    unsafe {
        libc::signal(libc::SIGINT, action);
    }
}

#[cfg(not(unix))]
fn listen(_: bool) {}

/// The signal handler. The system gives the signal of a terminal to the main
/// thread, which does not block it. Setting a hook from a handler on the thread
/// that runs the state is what Lua allows, and its own interpreter does.
#[cfg(unix)]
extern "C" fn stop(_: c_int) {
    const ALL: c_int =
        ffi::LUA_MASKCALL | ffi::LUA_MASKRET | ffi::LUA_MASKLINE | ffi::LUA_MASKCOUNT;
    listen(false);
    // SAFETY: the handler is there only while `during` runs, and the state lives
    // longer than that.
    unsafe { ffi::lua_sethook(STATE.load(Ordering::Acquire), Some(raise), ALL, 1) };
}

#[cfg(unix)]
unsafe extern "C-unwind" fn raise(state: *mut ffi::lua_State, _: *mut ffi::lua_Debug) {
    // SAFETY: Lua calls this in the state that runs; nothing is held.
    unsafe {
        ffi::lua_sethook(state, None, 0, 0);
        ffi::luaL_error(state, c"interrupted!".as_ptr());
    }
}
