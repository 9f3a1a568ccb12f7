//! The one place of this crate that touches Lua states; see [`protect`] for
//! the rules that hold here.

mod bare;
pub mod context;
mod convert;
mod coroutine;
pub mod deep;
mod describe;
#[cfg(feature = "faults")]
pub mod faults;
pub mod flavour;
mod hook;
mod launch;
mod metas;
mod names;
mod objects;
pub mod pack;
mod pin;
pub mod protect;
mod run;
pub mod sentinel;
mod state;
mod trace;
pub mod unpack;
mod yielding;

use std::sync::Arc;

use mlua::ffi::lua_State;

pub use bare::call_in_fresh_state;
pub use context::{Context, Generation, Parked};
pub use deep::Kind;
pub use hook::{Event, Hook};
pub use launch::{Body, Launch, launch};
pub use names::{alias, collect as collect_names, collect_again, register};
pub use pin::pin;
pub use run::set_finalizer;
pub use state::{Libraries, LibrariesError};
pub use trace::{Level as TraceLevel, set_level as set_trace_level};

/// What the Lua-facing side puts into the states of its universe.
pub struct Hooks {
    /// Pushes the state's module table. [-0, +1, e]
    pub push_module: unsafe fn(state: *mut lua_State),
    /// Puts the globals of a lane into a fresh state. [-0, +0, e]
    pub open_lane: unsafe fn(state: *mut lua_State),
    /// The last thing that runs in a closing master state; all lanes have
    /// ended, or not. [-0, +0, e]: what it raises is raised by `lua_close`.
    pub closed: unsafe fn(state: *mut lua_State, ended: bool),
}

/// A shared buffer of a header and a payload, written in one step.
pub(crate) fn joined(header: &[u8], payload: &[u8]) -> Arc<[u8]> {
    let mut bytes = Arc::<[u8]>::new_uninit_slice(header.len() + payload.len());
    let room = Arc::get_mut(&mut bytes).expect("nobody else has it yet");
    let (start, rest) = room.split_at_mut(header.len());
    start.write_copy_of_slice(header);
    rest.write_copy_of_slice(payload);
    // SAFETY: both parts together are the whole buffer, and both are written.
    unsafe { bytes.assume_init() }
}
