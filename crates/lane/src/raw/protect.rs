//! Protected calls of our own C code, and panics turned into Lua errors.
//!
//! Two rules make Rust and `longjmp` live together here:
//!
//! * Code that owns values with destructors calls only Lua functions that
//!   cannot raise, or goes through [`protected`].
//! * Code that calls Lua functions that may raise owns no such value, and runs
//!   no Rust code that may panic.

use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use mlua::ffi::{self, lua_State};

use super::{flavour, hook};

/// What runs inside a protected call: it finds its arguments at index 1 and up
/// and answers how many results it left on top. It may raise, so it must hold
/// no value with a destructor when it does.
pub type Body = unsafe fn(state: *mut lua_State, data: *mut c_void) -> c_int;

#[repr(C)]
struct Job {
    body: Body,
    data: *mut c_void,
}

/// Where the registry keeps [`trampoline`], so that pushing it never allocates.
static TRAMPOLINE: u8 = 0;

unsafe extern "C-unwind" fn trampoline(state: *mut lua_State) -> c_int {
    // SAFETY: only `protected` calls this, with a job that it keeps alive.
    unsafe {
        let job = ffi::lua_touserdata(state, 1).cast::<Job>();
        ffi::lua_remove(state, 1);
        ((*job).body)(state, (*job).data)
    }
}

/// Prepares a state for [`protected`]. [-0, +0, m]
///
/// # Safety
/// `state` must be valid, with two free stack slots.
pub unsafe fn install(state: *mut lua_State) {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::lua_pushcfunction(state, trampoline);
        ffi::lua_rawsetp(
            state,
            ffi::LUA_REGISTRYINDEX,
            (&raw const TRAMPOLINE).cast(),
        );
    }
}

/// Calls `body` in protected mode with the `arguments` values on top.
/// [-arguments, +results, -]; when the status is not `LUA_OK` only the error
/// value is left.
///
/// # Safety
/// [`install`] was called; three free stack slots; `data` is what `body`
/// expects.
pub unsafe fn protected(
    state: *mut lua_State,
    arguments: c_int,
    results: c_int,
    body: Body,
    data: *mut c_void,
) -> c_int {
    let mut job = Job { body, data };
    // SAFETY: the job outlives the call; reading the registry by a light key
    // and moving stack values do not raise.
    unsafe {
        ffi::lua_rawgetp(
            state,
            ffi::LUA_REGISTRYINDEX,
            (&raw const TRAMPOLINE).cast(),
        );
        ffi::lua_pushlightuserdata(state, (&raw mut job).cast());
        if arguments > 0 {
            let first = ffi::lua_gettop(state) - arguments - 1;
            // (arguments, trampoline, job) -> (trampoline, job, arguments)
            ffi::lua_insert(state, first);
            ffi::lua_insert(state, first);
        }
        ffi::lua_pcall(state, arguments + 1, results, 0)
    }
}

/// [`protected`], for work of ours that runs no code of the program but
/// finalizers: no hook interrupts it, because its error would be taken for a
/// failure of the work.
///
/// # Safety
/// As for [`protected`].
pub unsafe fn undisturbed(
    state: *mut lua_State,
    arguments: c_int,
    results: c_int,
    body: Body,
    data: *mut c_void,
) -> c_int {
    // SAFETY: the caller's promise; the protected call does not raise, so the
    // shield is taken down.
    hook::shield(|| unsafe { protected(state, arguments, results, body, data) })
}

/// Runs Rust code that calls no raising Lua function, and turns a panic in it
/// into `Err` with its text.
pub fn catch<R>(body: impl FnOnce() -> R) -> Result<R, String> {
    #[cfg(feature = "faults")]
    let body = || {
        super::faults::point("before the work");
        let result = body();
        super::faults::point("after the work");
        result
    };
    catch_unwind(AssertUnwindSafe(body)).map_err(|payload| {
        let text = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no message".to_owned());
        format!("internal error, please report it: {text}")
    })
}

/// Drops a value where nobody can be told of a panic in that, such as in a
/// finalizer: the panic has its line on standard error, and the rest of the
/// value is dropped all the same.
pub fn discard<T>(value: T) {
    let _ = catch_unwind(AssertUnwindSafe(move || {
        #[cfg(feature = "faults")]
        super::faults::point("while dropping");
        drop(value);
    }));
}

/// Makes sure that `slots` more values fit on the stack. [-0, +0, e]
///
/// # Safety
/// `state` must be valid; raises when they do not fit.
pub unsafe fn reserve(state: *mut lua_State, slots: c_int) {
    // SAFETY: the caller's promise.
    unsafe {
        if slots > flavour::STACK_LIMIT || ffi::lua_checkstack(state, slots) == 0 {
            ffi::luaL_error(state, c"too many values for the stack (%d)".as_ptr(), slots);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::catch;

    #[test]
    fn a_panic_becomes_a_text() {
        assert_eq!(catch(|| 1), Ok(1));
        let text = |result: Result<(), String>| result.expect_err("it has panicked");
        assert!(text(catch(|| panic!("fixed"))).ends_with(": fixed"));
        assert!(text(catch(|| panic!("number {}", 5))).ends_with(": number 5"));
        assert!(text(catch(|| std::panic::panic_any(5))).ends_with(": no message"));
    }
}
