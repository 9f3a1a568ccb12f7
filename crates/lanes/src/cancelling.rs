//! `h:cancel`: its many arguments, and what it does.

use std::ffi::{CStr, c_int};

use lane::raw::{Event, Generation};
use linda::{Deadline, Level};
use mlua::ffi::{self, lua_State};

use crate::args::deadline;
use crate::call::{context, error, push_text, raise, work};
use crate::handle::{Handle, this};

/// What a cancel call asks for.
struct Request {
    level: Level,
    /// The events of the hook that is to raise, and their number.
    hook: Option<(Event, c_int)>,
    wake: bool,
    deadline: Deadline,
}

/// The arguments of `cancel`. [-0, +0, e]
unsafe fn request(state: *mut lua_State, generation: Generation) -> Request {
    // SAFETY: nothing is held.
    unsafe {
        let modern = generation == Generation::V4;
        let mut at = 2;
        let mut level = Level::Hard;
        let mut hook = None;
        if ffi::lua_type(state, at) == ffi::LUA_TSTRING && generation != Generation::V2 {
            let word = ffi::lua_tostring(state, at);
            let event = match CStr::from_ptr(word).to_bytes() {
                b"soft" => {
                    level = Level::Soft;
                    None
                }
                b"hard" => None,
                b"count" => Some(Event::Count),
                b"line" => Some(Event::Line),
                b"call" => Some(Event::Call),
                b"ret" => Some(Event::Return),
                b"all" if modern => Some(Event::All),
                _ => {
                    let text = if modern {
                        c"Invalid cancel operation '%s'"
                    } else {
                        c"invalid hook option %s"
                    };
                    ffi::luaL_error(state, text.as_ptr(), word);
                    None
                }
            };
            at += 1;
            if let Some(event) = event {
                if ffi::lua_type(state, at) != ffi::LUA_TNUMBER {
                    error(
                        state,
                        if modern {
                            c"Hook count expected"
                        } else {
                            c"hook count cannot be < 1"
                        },
                    );
                }
                let count = ffi::lua_tonumber(state, at);
                if count < 1.0 || count.is_nan() {
                    error(
                        state,
                        if modern {
                            c"Hook count cannot be < 1"
                        } else {
                            c"hook count cannot be < 1"
                        },
                    );
                }
                hook = Some((event, count.min(f64::from(c_int::MAX)) as c_int));
                at += 1;
            }
        }
        let mut limit = if modern {
            Deadline::never()
        } else {
            Deadline::now()
        };
        match ffi::lua_type(state, at) {
            ffi::LUA_TNUMBER => {
                let seconds = ffi::lua_tonumber(state, at);
                if generation != Generation::V2 && seconds < 0.0 {
                    let text = if modern {
                        c"Duration cannot be < 0"
                    } else {
                        c"cancel timeout cannot be < 0"
                    };
                    error(state, text);
                }
                limit = deadline(state, generation, at);
                at += 1;
            }
            ffi::LUA_TNIL => at += 1,
            _ => {}
        }
        let mut wake = level == Level::Hard;
        match ffi::lua_type(state, at) {
            ffi::LUA_TNONE => {}
            ffi::LUA_TBOOLEAN => {
                // In older generations this asks for the thread to be killed,
                // which never happens here: the lane is woken instead.
                wake = ffi::lua_toboolean(state, at) != 0 || !modern && wake;
                at += 1;
            }
            kind if modern => {
                let name = ffi::lua_typename(state, kind);
                ffi::luaL_error(
                    state,
                    c"Boolean expected for wake_lane argument, got %s".as_ptr(),
                    name,
                );
            }
            _ => {}
        }
        if modern && ffi::lua_gettop(state) >= at {
            error(state, c"Too many arguments");
        }
        Request {
            level,
            hook,
            wake,
            deadline: limit,
        }
    }
}

/// `cancel([mode [, count],] [timeout,] [wake])`
pub unsafe extern "C-unwind" fn cancel(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this.
    unsafe {
        let context = context(state);
        let generation = context.generation();
        let (lane, _) = this(state);
        let step = (*ffi::lua_touserdata(state, 1).cast::<Handle>()).step;
        let request = request(state, generation);
        let over = work(|| {
            lane.request(request.level, request.wake);
            let step = step.filter(|_| request.level == Level::Hard);
            let hook = request.hook.or(step.map(|step| (Event::Count, step)));
            if let Some((event, count)) = hook {
                lane.hook().request(event, count);
            }
            Ok(lane.wait(request.deadline).is_some())
        });
        match over {
            Ok(over) => {
                ffi::lua_pushboolean(state, c_int::from(over));
                if generation == Generation::V2 {
                    return 1;
                }
                push_text(
                    state,
                    if over {
                        lane.status().word()
                    } else {
                        "timeout"
                    },
                );
                2
            }
            Err(why) => raise(state, context, why),
        }
    }
}
