//! `h:cancel`: its many arguments, and what it does.

use std::ffi::{CStr, c_int};

use lane::raw::{Event, Generation};
use linda::{Deadline, Level};
use mlua::ffi::{self, lua_State};

use crate::args::deadline;
use crate::call::{context, error, push_text, raise, work};
use crate::handle::{Handle, this};
use crate::outcome;

/// What a cancel call asks for.
struct Request {
    level: Level,
    /// The events of the hook that is to raise, and their number.
    hook: Option<(Event, c_int)>,
    /// Whether the thread is to be killed, in generations that can.
    forced: bool,
    wake: bool,
    deadline: Deadline,
}

/// A deadline so many seconds after another.
fn later(deadline: Deadline, seconds: f64) -> Deadline {
    let Some(left) = deadline.remaining() else {
        return deadline;
    };
    Deadline::after_secs(left.as_secs_f64() + seconds).unwrap_or(Deadline::never())
}

/// The arguments of `cancel`. [-0, +0, e]
unsafe fn request(state: *mut lua_State, generation: Generation) -> Request {
    // SAFETY: nothing is held.
    unsafe {
        let modern = generation == Generation::V4;
        let mut at = 2;
        let mut level = Level::Hard;
        let mut hook = None;
        let mut forced = false;
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
                let yes = ffi::lua_toboolean(state, at) != 0;
                wake = yes || !modern && wake;
                at += 1;
                forced = !modern && yes && level == Level::Hard;
            }
            kind if modern => {
                let name = ffi::lua_typename(state, kind);
                ffi::luaL_error(
                    state,
                    c"Boolean expected for wake_lane argument, got %s".as_ptr(),
                    name,
                );
            }
            // Anything else counts as true.
            _ => forced = generation == Generation::V3 && level == Level::Hard,
        }
        if forced {
            // Older generations kill the thread then, which never happens here:
            // a hook ends the lane. It gets a moment for that.
            const MOMENT: f64 = 0.25;
            hook = hook.or(Some((Event::All, 100)));
            let mut grace = MOMENT;
            if ffi::lua_type(state, at) == ffi::LUA_TNUMBER {
                grace = ffi::lua_tonumber(state, at);
                if grace < 0.0 {
                    error(state, c"cancel timeout cannot be < 0");
                }
            }
            limit = later(limit, grace.max(MOMENT));
        }
        if modern && ffi::lua_gettop(state) >= at {
            error(state, c"Too many arguments");
        }
        Request {
            level,
            hook,
            forced,
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
            if request.forced {
                lane.force();
            }
            let step = step.filter(|_| request.level == Level::Hard);
            let hook = request.hook.or(step.map(|step| (Event::Count, step)));
            // The hook first: a blocked call that the level ends is followed by
            // the finalizers, which a hook that came later would cut short.
            if let Some((event, count)) = hook {
                lane.hook().request(event, count);
            }
            lane.request(request.level, request.wake);
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
                        outcome::status_word(lane, generation)
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
