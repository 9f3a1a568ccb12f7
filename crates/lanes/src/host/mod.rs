//! What a Rust program that embeds Lua uses: opening and configuring the
//! module, lindas, and the values that go through them.

mod config;
mod error;
mod linda;
mod raw;
mod value;

pub use self::config::{Config, open, preload};
pub use self::error::{Failure, SendError};
pub use self::linda::Linda;
pub use self::value::{Packed, Value};
