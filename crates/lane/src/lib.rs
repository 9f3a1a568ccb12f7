//! Lanes: Lua states on threads, and the transfer of values between them.
//!
//! A [`Universe`] belongs to a master state. Each [`Lane`] is a thread with a
//! state of its own; a [`Message`] is a self-contained snapshot of Lua values
//! on its way from one state to another; a [`Key`] names a slot of a linda.
//! Everything that touches a Lua state lies in [`raw`].
//!
//! # Examples
//!
//! The items have none: nearly all of them need a Lua state that has its
//! context, which only the crate above gives it ([`raw::Hooks`]), and none is
//! meant for programs. What they are for is seen in `lanes`, and what they do
//! in the Lua tests.
//!
//! This crate knows nothing of the Lua-facing interface: what a program calls
//! is made by the crate above, through [`raw::Hooks`].

mod deep;
mod key;
mod lane;
mod message;
mod number;
pub mod raw;
mod status;
pub mod thread;
mod universe;
mod wire;
mod workers;

pub use deep::Deep;
pub use key::Key;
pub use lane::{End, Lane, Order, UNNAMED};
pub use message::{Message, Scalar};
pub use number::Number;
pub use status::Status;
pub use universe::{Fallback, Settings, Universe, spin};
