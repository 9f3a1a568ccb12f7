//! How the functions that Lua calls are built.
//!
//! Each has three parts, in this order:
//!
//! 1. *Arguments*: read and checked. What is wrong with them is raised at once,
//!    so nothing with a destructor is held here.
//! 2. *Work*: Rust code under [`work`], which calls no Lua function that
//!    raises. It may own what it likes and may even panic.
//! 3. *Results*: pushed or raised, with nothing held again. Messages and texts
//!    wait in the context's limbo meanwhile.

use std::ffi::{CStr, c_int};

use lane::raw::protect::catch;
use lane::raw::unpack::{self, Fault};
use lane::raw::{Context, Parked, context, flavour, sentinel};
use mlua::ffi::{self, lua_State};

/// A C function as Lua wants it.
pub type Function = ffi::lua_CFunction;

/// Why a function raises.
pub enum Raise {
    /// A text, with the caller's position in front.
    Text(String),
    /// `lanes.cancel_error`.
    Cancelled,
}

impl From<String> for Raise {
    fn from(text: String) -> Raise {
        Raise::Text(text)
    }
}

/// Runs the second part; a panic in it becomes an error to raise.
#[inline(always)]
pub fn work<R>(body: impl FnOnce() -> Result<R, Raise>) -> Result<R, Raise> {
    catch(body).unwrap_or_else(|panic| Err(Raise::Text(panic)))
}

/// The context of the running function. [-0, +0, e]: raises when the state is
/// closing and the context is gone.
///
/// # Safety
/// The function was made by [`push_function`].
#[inline(always)]
pub unsafe fn context<'a>(state: *mut lua_State) -> &'a Context {
    // SAFETY: the first upvalue is the context's userdata.
    unsafe {
        match context::at(state, ffi::lua_upvalueindex(1)) {
            Some(context) => {
                context.sweep();
                context
            }
            None => error(state, c"lanes is closed: the state is ending"),
        }
    }
}

/// Pushes a function whose first upvalue is the context, and whose others are
/// the values on top. [-upvalues, +1, m]
///
/// # Safety
/// Two free stack slots.
pub unsafe fn push_function(state: *mut lua_State, function: Function, upvalues: c_int) {
    // SAFETY: the caller's promise.
    unsafe {
        context::push(state);
        ffi::lua_insert(state, -upvalues - 1);
        ffi::lua_pushcclosure(state, function, upvalues + 1);
    }
}

/// Sets functions as fields of the table on top. [-0, +0, m]
///
/// # Safety
/// A table on top; four free stack slots.
pub unsafe fn set_functions(state: *mut lua_State, functions: &[(&CStr, Function)]) {
    for (name, function) in functions {
        // SAFETY: the caller's promise.
        unsafe {
            push_function(state, *function, 0);
            ffi::lua_setfield(state, -2, name.as_ptr());
        }
    }
}

/// Raises a fixed text with the caller's position. [-0, +0, e]
///
/// # Safety
/// Nothing with a destructor is held.
#[cold]
pub unsafe fn error(state: *mut lua_State, text: &CStr) -> ! {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::luaL_error(state, c"%s".as_ptr(), text.as_ptr());
    }
    unreachable!("luaL_error does not return")
}

/// Raises an argument error. [-0, +0, e]
///
/// # Safety
/// Nothing with a destructor is held.
#[cold]
pub unsafe fn argument_error(state: *mut lua_State, argument: c_int, text: &CStr) -> ! {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::luaL_argerror(state, argument, text.as_ptr());
    }
    unreachable!("luaL_argerror does not return")
}

/// Raises. [-0, +0, e]
///
/// # Safety
/// Nothing with a destructor is held but `raise`, which is parked before
/// anything can raise.
#[cold]
pub unsafe fn raise(state: *mut lua_State, context: &Context, raise: Raise) -> c_int {
    match raise {
        // SAFETY: the caller's promise.
        Raise::Cancelled => unsafe {
            ffi::lua_pushlightuserdata(state, sentinel::cancel_error());
            ffi::lua_error(state)
        },
        Raise::Text(text) => {
            let bytes: *const [u8] = text.as_bytes();
            let place = context.park(Parked::Text(text));
            // SAFETY: the text's buffer stays where it is while it is parked.
            unsafe {
                ffi::luaL_where(state, 1);
                flavour::push_bytes(state, &*bytes);
                context.unpark(place);
                ffi::lua_concat(state, 2);
                ffi::lua_error(state)
            }
        }
    }
}

/// What the receiver finds wrong with a message is raised there. [-0, +0, e]
///
/// # Safety
/// Nothing with a destructor is held; the stack is as the fault left it.
#[cold]
pub unsafe fn raise_fault(state: *mut lua_State, fault: Fault) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        unpack::push_fault(state, fault);
        ffi::luaL_where(state, 1);
        ffi::lua_insert(state, -2);
        ffi::lua_concat(state, 2);
        ffi::lua_error(state)
    }
}

/// Pushes a short text. [-0, +1, m]
///
/// # Safety
/// One free stack slot.
pub unsafe fn push_text(state: *mut lua_State, text: &str) {
    // SAFETY: the caller's promise.
    unsafe { flavour::push_bytes(state, text.as_bytes()) };
}
