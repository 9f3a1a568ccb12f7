//! The Lua-facing interface of rlanes: `require "lanes"` in three generations.
//!
//! [`open`] is the module's entry point; [`open_v2`], [`open_v3`] and
//! [`open_v4`] choose a generation. A program that embeds Lua calls
//! [`preload`] once, and its scripts can `require "lanes"`:
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
//! The `open` functions have no examples of their own: they are what Lua calls,
//! with a raw state, and `preload` is the way to them from Rust.

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
mod finally;
mod generator;
mod globals;
mod handle;
mod handle_tables;
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

pub use module::{open, open_v2, open_v3, open_v4};

/// Lets the scripts of an embedded Lua `require` the module under all its
/// names, without a file to be found.
///
/// # Errors
///
/// When the state has no package library, or no memory.
pub fn preload(lua: &mlua::Lua) -> mlua::Result<()> {
    let package: mlua::Table = lua.globals().get("package")?;
    let preload: mlua::Table = package.get("preload")?;
    for (name, open) in [
        ("lanes", open as mlua::ffi::lua_CFunction),
        ("lanes.v2", open_v2),
        ("lanes.v3", open_v3),
        ("lanes.v4", open_v4),
    ] {
        // SAFETY: these are functions that Lua may call in any state.
        preload.set(name, unsafe { lua.create_c_function(open)? })?;
    }
    Ok(())
}
