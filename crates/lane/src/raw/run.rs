//! The life of a lane on its own thread.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use mlua::ffi::{self, lua_State};

use super::context::{self, Context};
use super::pack::{self, Names, Refusal, SLOTS};
use super::protect::{catch, protected, reserve};
use super::state::{Owned, error_text};
use super::yielding::{self, Course};
use super::{sentinel, trace};
use crate::lane::{End, Lane};
use crate::message::Message;
use crate::status::Status;
use crate::universe::Universe;

/// A lane that is ready to run: on the stack of its state lie the message
/// handler, the body and its arguments.
pub struct Ready {
    pub state: Owned,
    pub lane: Arc<Lane>,
    pub universe: Arc<Universe>,
    pub arguments: c_int,
    pub traced: bool,
}

static FINALIZERS: u8 = 0;

impl Ready {
    /// Runs the lane to its end on this thread, closes its state and publishes
    /// the end.
    pub fn run(self) {
        let Ready {
            state,
            lane,
            universe,
            arguments,
            traced,
        } = self;
        lane.set_status(Status::Running);
        // SAFETY: the state is ours, on this thread, from here on.
        let end = catch(|| unsafe { execute(state.get(), &lane, arguments, traced) })
            .unwrap_or_else(|panic| End::Error(Err(panic), None));
        // The state goes first: who joins finds its files closed and its
        // objects gone.
        let end = match catch(|| drop(state)) {
            Ok(()) => end,
            Err(panic) => End::Error(Err(panic), None),
        };
        lane.finish(end);
        universe.leave(&lane);
    }
}

/// How the body, or the finalizers after it, came out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    Failed,
    Cancelled,
}

/// Runs body and finalizers and packs what is left of them. All of it runs in
/// one protected call, and nothing that owns a value is alive where Lua may
/// raise.
unsafe fn execute(state: *mut lua_State, lane: &Lane, arguments: c_int, traced: bool) -> End {
    // SAFETY: the stack is as `Ready` says.
    unsafe {
        let mut job = Life {
            lane,
            arguments,
            traced,
            end: None,
        };
        let values = ffi::lua_gettop(state);
        // The arguments may fill all that was reserved.
        if ffi::lua_checkstack(state, 4) == 0 {
            return End::Error(Err("not enough memory for the arguments".to_owned()), None);
        }
        protected(state, values, 0, live, (&raw mut job).cast());
        // No end: an error that is not the program's, such as want of memory.
        job.end
            .unwrap_or_else(|| End::Error(Err(error_text(state)), None))
    }
}

struct Life<'a> {
    lane: &'a Lane,
    arguments: c_int,
    traced: bool,
    end: Option<End>,
}

/// `(handler, body, arguments…) -> ()` [e]
unsafe fn live(state: *mut lua_State, data: *mut c_void) -> c_int {
    // SAFETY: `data` is the job of `execute`. `reserve` and the calls before it
    // may raise, and there nothing is owned; nothing after them does.
    unsafe {
        let job = &mut *data.cast::<Life<'_>>();
        let handler = if job.traced { 1 } else { 0 };
        let hook = job.lane.hook();
        let course = if job.lane.is_coroutine() {
            yielding::run(state, job.lane, job.arguments, job.traced)
        } else {
            Course::Ended(hook.reach(state, || {
                ffi::lua_pcall(state, job.arguments, ffi::LUA_MULTRET, handler)
            }))
        };
        reserve(state, SLOTS + 8);
        let closed = matches!(course, Course::Closed);
        let outcome = match course {
            Course::Ended(status) => outcome(state, status),
            Course::Closed => Outcome::Done,
            Course::Cancelled => {
                ffi::lua_pushlightuserdata(state, sentinel::cancel_error());
                Outcome::Cancelled
            }
        };
        let outcome = hook.reach(state, || finalize(state, outcome, handler));
        let count = ffi::lua_gettop(state) - 1;
        let Some(context) = context::of_state(state) else {
            return 0;
        };
        job.end = Some(match outcome {
            Outcome::Cancelled => End::Cancelled,
            Outcome::Done if closed => {
                let yielded = job.lane.take_yielded();
                End::Done(yielded.unwrap_or_else(|| Ok(Message::default())))
            }
            // What cannot travel is for who asks for it. A panic is not the
            // program's doing: the lane has failed.
            Outcome::Done => catch(|| packed(state, context, 2, count, Names::Result))
                .map_or_else(|panic| End::Error(Err(panic), None), End::Done),
            Outcome::Failed => {
                trace::push(state);
                let index = ffi::lua_gettop(state);
                let trace = match ffi::lua_type(state, index) {
                    ffi::LUA_TNIL => None,
                    _ => caught(state, context, index).ok(),
                };
                End::Error(caught(state, context, index - 1), trace)
            }
        });
        0
    }
}

unsafe fn outcome(state: *mut lua_State, status: c_int) -> Outcome {
    // SAFETY: an error value is on top when the status says so.
    unsafe {
        if status == ffi::LUA_OK {
            Outcome::Done
        } else if sentinel::is_cancel_error(state, -1) {
            Outcome::Cancelled
        } else {
            Outcome::Failed
        }
    }
}

/// Runs the finalizers, the last set first. When one raises, its error takes
/// the place of the result and the others are skipped; but a finalizer that is
/// cancelled only repeats what is known of a cancelled lane.
unsafe fn finalize(state: *mut lua_State, outcome: Outcome, handler: c_int) -> Outcome {
    // SAFETY: `live` has reserved slots; reading the registry does not raise.
    unsafe {
        let top = ffi::lua_gettop(state);
        ffi::lua_rawgetp(
            state,
            ffi::LUA_REGISTRYINDEX,
            (&raw const FINALIZERS).cast(),
        );
        if ffi::lua_type(state, -1) != ffi::LUA_TTABLE {
            ffi::lua_settop(state, top);
            return outcome;
        }
        let list = top + 1;
        trace::push(state);
        let kept_trace = top + 2;
        for n in (1..=ffi::lua_rawlen(state, list)).rev() {
            super::flavour::raw_geti(state, list, n as u32);
            let arguments = match outcome {
                Outcome::Done => 0,
                Outcome::Cancelled => 1,
                Outcome::Failed if ffi::lua_type(state, kept_trace) == ffi::LUA_TNIL => 1,
                Outcome::Failed => 2,
            };
            if arguments > 0 {
                ffi::lua_pushvalue(state, top);
            }
            if arguments > 1 {
                ffi::lua_pushvalue(state, kept_trace);
            }
            let status = ffi::lua_pcall(state, arguments, 0, handler);
            if status != ffi::LUA_OK {
                let raised = self::outcome(state, status);
                // The error value alone stays.
                ffi::lua_replace(state, 2);
                ffi::lua_settop(state, 2);
                return raised;
            }
            ffi::lua_settop(state, kept_trace);
        }
        ffi::lua_settop(state, top);
        outcome
    }
}

unsafe fn packed(
    state: *mut lua_State,
    context: &Context,
    first: c_int,
    count: c_int,
    names: Names,
) -> Result<Message, String> {
    // SAFETY: the slots were reserved by `live`; packing does not raise.
    unsafe { pack::together(state, context, first, count, names) }.map_err(|Refusal(text)| text)
}

/// Packs an error or its trace; a panic in that takes the place of it.
unsafe fn caught(
    state: *mut lua_State,
    context: &Context,
    index: c_int,
) -> Result<Message, String> {
    // SAFETY: as for `packed`.
    catch(|| unsafe { packed(state, context, index, 1, Names::Error) })?
}

/// Adds the function at index 1 to the finalizers of the lane. [-0, +0, m]
///
/// # Safety
/// A function at index 1; four free stack slots.
pub unsafe fn set_finalizer(state: *mut lua_State) {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::lua_rawgetp(
            state,
            ffi::LUA_REGISTRYINDEX,
            (&raw const FINALIZERS).cast(),
        );
        if ffi::lua_type(state, -1) != ffi::LUA_TTABLE {
            ffi::lua_settop(state, -2);
            ffi::lua_createtable(state, 2, 0);
            ffi::lua_pushvalue(state, -1);
            ffi::lua_rawsetp(
                state,
                ffi::LUA_REGISTRYINDEX,
                (&raw const FINALIZERS).cast(),
            );
        }
        ffi::lua_pushvalue(state, 1);
        let n = ffi::lua_rawlen(state, -2) as u32 + 1;
        super::flavour::raw_seti(state, -2, n);
        ffi::lua_settop(state, -2);
    }
}
