//! Lanes whose body runs in a coroutine: it may yield to the lane's handle.
//!
//! The lane's thread waits while the coroutine is suspended; what it is told
//! then is an [`Order`]. A hard cancellation is raised where the body has
//! yielded. A body that swallows it and yields again is closed.

use std::ffi::{c_int, c_void};

use linda::Level;
use mlua::ffi::{self, lua_State};

use super::context::{self, Context};
use super::hook::{self, Event};
use super::pack::{self, Names, Refusal, SLOTS};
use super::protect::{catch, protected, reserve};
use super::{flavour, trace, unpack};
use crate::lane::{Lane, Order};
use crate::message::Message;

/// How the coroutine came out.
pub enum Course {
    /// It has ended with this status: results or the error value lie on the
    /// lane's stack.
    Ended(c_int),
    /// It was closed: what it yielded last is its result.
    Closed,
    /// It does not react to the cancellation.
    Cancelled,
}

/// `(handler, body, arguments…) -> (handler, results… or error)`: runs the body
/// to its end. [e]
///
/// # Safety
/// The stack is as said, in the state of the lane, on its thread; nothing with
/// a destructor is held.
pub unsafe fn run(state: *mut lua_State, lane: &Lane, arguments: c_int, traced: bool) -> Course {
    // SAFETY: the caller's promise. Nothing is held where something raises:
    // messages lie in the lane or are parked.
    unsafe {
        let coroutine = ffi::lua_newthread(state);
        ffi::lua_insert(state, 2);
        ffi::lua_xmove(state, coroutine, arguments + 1);
        let Some(context) = context::of_state(state) else {
            return Course::Cancelled;
        };
        let mut count = arguments;
        let mut raised = false;
        loop {
            let mut results = 0;
            let status = lane.hook().reach(state, || {
                hook::entered(coroutine, || {
                    ffi::lua_resume(coroutine, state, count, &raw mut results)
                })
            });
            if status != ffi::LUA_YIELD {
                return ended(state, coroutine, status, results, traced);
            }
            // Packed on the lane's own stack: nothing may be called or raised on
            // that of a suspended coroutine.
            reserve(state, SLOTS.saturating_add(results));
            ffi::lua_xmove(coroutine, state, results);
            let order = {
                let yielded = yielded(state, context, results);
                ffi::lua_settop(state, -results - 1);
                lane.suspend(yielded)
            };
            count = 0;
            match order {
                Order::Resume(message) => match give(state, context, coroutine, message) {
                    Some(given) => count = given,
                    None => return Course::Ended(ffi::LUA_ERRRUN),
                },
                Order::Wake if lane.cancel().level() != Level::Hard => {}
                Order::Wake if raised => {
                    close(state, lane, coroutine);
                    return Course::Cancelled;
                }
                Order::Wake => {
                    raised = true;
                    lane.hook().request(Event::Count, 1);
                }
                Order::Close => {
                    let status = close(state, lane, coroutine);
                    return if status == ffi::LUA_OK {
                        Course::Closed
                    } else {
                        Course::Ended(status)
                    };
                }
            }
        }
    }
}

unsafe fn yielded(
    state: *mut lua_State,
    context: &Context,
    results: c_int,
) -> Result<Message, String> {
    // SAFETY: the slots were reserved; packing does not raise.
    unsafe {
        let first = ffi::lua_gettop(state) - results + 1;
        catch(|| pack::together(state, context, first, results, Names::Result))?
            .map_err(|Refusal(text)| text)
    }
}

/// Puts the results of a yield onto the coroutine and answers their number, or
/// leaves on the lane's stack what is wrong with them.
unsafe fn give(
    state: *mut lua_State,
    context: &Context,
    coroutine: *mut lua_State,
    message: Message,
) -> Option<c_int> {
    // SAFETY: the message is parked while it is unpacked, and dropped by the
    // next visitor of the limbo if that raises.
    unsafe {
        let top = ffi::lua_gettop(state);
        let mut job = Give {
            context,
            message: Some(message),
        };
        let status = protected(state, 0, ffi::LUA_MULTRET, deliver, (&raw mut job).cast());
        drop(job);
        if status != ffi::LUA_OK {
            ffi::lua_replace(state, 2);
            ffi::lua_settop(state, 2);
            return None;
        }
        let count = ffi::lua_gettop(state) - top;
        if ffi::lua_checkstack(coroutine, count + 1) == 0 {
            ffi::lua_settop(state, 1);
            flavour::push_bytes(state, b"too many values to resume with");
            return None;
        }
        ffi::lua_xmove(state, coroutine, count);
        Some(count)
    }
}

struct Give<'a> {
    context: &'a Context,
    message: Option<Message>,
}

/// `() -> (values…)` [e]
unsafe fn deliver(state: *mut lua_State, data: *mut c_void) -> c_int {
    // SAFETY: `data` is the job of `give`; the message is moved on at once.
    unsafe {
        let job = &mut *data.cast::<Give<'_>>();
        reserve(state, SLOTS);
        let Some(message) = job.message.take() else {
            return 0;
        };
        match unpack::deliver(state, job.context, message) {
            Ok(count) => count,
            Err(fault) => {
                unpack::push_fault(state, fault);
                ffi::lua_error(state)
            }
        }
    }
}

/// Closes the suspended coroutine and takes it off the stack. An error in its
/// to-be-closed variables stays on top.
unsafe fn close(state: *mut lua_State, lane: &Lane, coroutine: *mut lua_State) -> c_int {
    // SAFETY: the coroutine at index 2 is suspended.
    unsafe {
        let status = lane
            .hook()
            .reach(state, || flavour::close_suspended(state, coroutine));
        ffi::lua_remove(state, 2);
        status
    }
}

/// Moves the results or the error to the lane's stack, and keeps the trace of
/// an error.
unsafe fn ended(
    state: *mut lua_State,
    coroutine: *mut lua_State,
    status: c_int,
    results: c_int,
    traced: bool,
) -> Course {
    // SAFETY: the coroutine at index 2 has ended; nothing is held.
    unsafe {
        if status == ffi::LUA_OK {
            reserve(state, results + 2);
            ffi::lua_xmove(coroutine, state, results);
        } else {
            reserve(state, 4);
            ffi::lua_xmove(coroutine, state, 1);
            if traced && !super::sentinel::is_cancel_error(state, -1) {
                trace::keep(state, coroutine, 0);
            }
            flavour::close_failed(state, coroutine);
        }
        ffi::lua_remove(state, 2);
        Course::Ended(status)
    }
}
