//! The Lua-facing interface of rlanes: `require "lanes"` in three generations,
//! for Rust programs that embed Lua through mlua.
//!
//! [`preload`] lets scripts `require "lanes"`, [`open`] gives the module's table
//! to Rust, and [`Config`] does so with settings:
//!
//! ```
//! # fn main() -> mlua::Result<()> {
//! let lua = mlua::Lua::new();
//! lanes::preload(&lua)?;
//! let sum: i64 = lua.load(r#"
//!     local lanes = require "lanes"
//!     local h = lanes.gen("*", function(a, b) return a + b end)(40, 2)
//!     return h[1]
//! "#).eval()?;
//! assert_eq!(sum, 42);
//! # Ok(())
//! # }
//! ```
//!
//! # Talking with lanes
//!
//! A [`Linda`] is made in Rust and given to Lua, or taken from a Lua value. Rust
//! sends [`Value`]s to it and receives them, blocking or in a future of any
//! executor:
//!
//! ```
//! use lanes::Linda;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let lua = mlua::Lua::new();
//! lanes::preload(&lua)?;
//! let jobs = Linda::new();
//! lua.load(r#"
//!     local jobs = ... -- a lane gets the local variables that it uses
//!     local lanes = require "lanes"
//!     lanes.gen("*", function()
//!         local _, text = jobs:receive("text")
//!         jobs:send("upper", text:upper())
//!     end)()
//! "#).call::<()>(&jobs)?;
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! # runtime.block_on(async {
//! jobs.send_async("text", "hello").await?;
//! assert_eq!(jobs.receive_async("upper").await?.as_str(), Some("HELLO"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok(())
//! # }
//! ```
//!
//! # Closing
//!
//! Dropping the last reference to the [`mlua::Lua`] closes the state, and with
//! it the lanes that it has started: they are asked to stop, and waited for, as
//! [`Config::shutdown_timeout`] says.

mod args;
mod atomic;
mod base;
mod call;
mod cancelling;
mod capi;
mod chunks;
mod closing;
mod creation;
#[cfg(feature = "luajit")]
mod fast;
#[cfg(feature = "faults")]
mod faults;
mod finally;
mod generator;
mod globals;
mod handle;
mod handle_tables;
mod host;
mod linda_methods;
mod loading;
mod module;
mod naming;
mod object;
mod outcome;
mod selecting;
mod share;
mod shared;
mod state_create;
mod thread;
mod timer_service;
mod timers;
mod tracking;

pub use host::{Config, Failure, Linda, Packed, SendError, Value, open, preload};
pub use lane::raw::Generation;
pub use lane::{Fallback, Key};
pub use linda::Deadline;

/// The entry points that Lua itself calls, with a raw state: what `lanes.so`
/// exports and what `package.preload` may hold.
pub mod entry {
    #[cfg(feature = "faults")]
    pub use crate::faults::open as open_faults;
    pub use crate::module::{open, open_v2, open_v3, open_v4};

    /// The generation that a plain `require "lanes"` speaks, unless the program
    /// chooses another one: today's, or what the variable `LANES_API` says.
    pub fn default_generation() -> super::Generation {
        crate::module::wanted_by_environment().unwrap_or(super::Generation::V4)
    }
}

/// The blocks of the page are run like the examples here.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/embedding.md")]
struct Embedding;
