//! The table of outcomes: what each generation returns, and nothing else that
//! depends on the generation.
//!
//! | outcome                | 2.x          | 3.x              | 4.x              |
//! |------------------------|--------------|------------------|------------------|
//! | sent                   | `true`       | `true`           | `true`           |
//! | send timed out         | `false`      | `false`          | `nil, "timeout"` |
//! | received               | `value, key` | `key, value`     | `key, value`     |
//! | received a batch       | values       | `key`, values    | `key`, values    |
//! | receive timed out      | nothing      | nothing          | `nil, "timeout"` |
//! | linda or soft cancel   | as timed out | `cancel_error`   | `nil, cancel_error` |
//! | hard cancel            | raises `cancel_error` in all               |||
//! | set, limit             | nothing      | `true` if writers were woken, else nothing | `woke, fill` |
//! | got                    | first or nothing | values       | `count`, values  |
//! | lane done              | results      | results          | `true`, results  |
//! | join timed out         | nothing      | `nil, "timeout"` | `nil, "timeout"` |
//! | lane failed            | `nil, error, trace` | `nil, error, trace` | `nil, error[, trace]` |
//! | lane cancelled         | nothing      | nothing          | `nil, cancel_error` |
//! | lane cancelled by force | nothing     | `nil, "killed"`  | (not there)      |

use std::ffi::c_int;

use lane::raw::{Generation, sentinel};
use linda::{Change, Fill};
use mlua::ffi::{self, lua_State};

use crate::call::push_text;

// Every function here: [-0, +results, m], and answers the number of results.

pub unsafe fn sent(state: *mut lua_State) -> c_int {
    // SAFETY: one free stack slot.
    unsafe { ffi::lua_pushboolean(state, 1) };
    1
}

pub unsafe fn send_timed_out(state: *mut lua_State, generation: Generation) -> c_int {
    // SAFETY: two free stack slots.
    unsafe {
        match generation {
            Generation::V2 | Generation::V3 => {
                ffi::lua_pushboolean(state, 0);
                1
            }
            Generation::V4 => nil_and(state, "timeout"),
        }
    }
}

pub unsafe fn receive_timed_out(state: *mut lua_State, generation: Generation) -> c_int {
    match generation {
        Generation::V2 | Generation::V3 => 0,
        // SAFETY: two free stack slots.
        Generation::V4 => unsafe { nil_and(state, "timeout") },
    }
}

/// The linda is cancelled, or the lane softly.
pub unsafe fn cancelled(state: *mut lua_State, generation: Generation, sending: bool) -> c_int {
    // SAFETY: two free stack slots.
    unsafe {
        match generation {
            Generation::V2 if sending => send_timed_out(state, generation),
            Generation::V2 => 0,
            Generation::V3 => {
                ffi::lua_pushlightuserdata(state, sentinel::cancel_error());
                1
            }
            Generation::V4 => {
                ffi::lua_pushnil(state);
                ffi::lua_pushlightuserdata(state, sentinel::cancel_error());
                2
            }
        }
    }
}

pub unsafe fn changed(state: *mut lua_State, generation: Generation, change: Change) -> c_int {
    // SAFETY: two free stack slots.
    unsafe {
        match generation {
            Generation::V2 => 0,
            Generation::V3 if !change.woke => 0,
            Generation::V3 => {
                ffi::lua_pushboolean(state, 1);
                1
            }
            Generation::V4 => {
                ffi::lua_pushboolean(state, c_int::from(change.woke));
                push_text(state, fill_word(change.fill));
                2
            }
        }
    }
}

pub fn fill_word(fill: Fill) -> &'static str {
    match fill {
        Fill::Under => "under",
        Fill::Exact => "exact",
        Fill::Over => "over",
    }
}

pub unsafe fn join_timed_out(state: *mut lua_State, generation: Generation) -> c_int {
    match generation {
        Generation::V2 => 0,
        // SAFETY: two free stack slots.
        Generation::V3 | Generation::V4 => unsafe { nil_and(state, "timeout") },
    }
}

pub unsafe fn lane_cancelled(state: *mut lua_State, generation: Generation, forced: bool) -> c_int {
    // SAFETY: two free stack slots.
    unsafe {
        match generation {
            Generation::V3 if forced => nil_and(state, "killed"),
            Generation::V2 | Generation::V3 => 0,
            Generation::V4 => cancelled(state, generation, false),
        }
    }
}

/// The word for the status of a lane: 3.x tells force from a request.
pub fn status_word(lane: &lane::Lane, generation: Generation) -> &'static str {
    if generation == Generation::V3 && lane.was_forced() {
        "killed"
    } else {
        lane.status().word()
    }
}

unsafe fn nil_and(state: *mut lua_State, text: &str) -> c_int {
    // SAFETY: two free stack slots.
    unsafe {
        ffi::lua_pushnil(state);
        push_text(state, text);
        2
    }
}
