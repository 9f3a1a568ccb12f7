//! What the states of a universe share on the Lua-facing side.

use std::sync::{Arc, OnceLock};

use lane::Message;
use lane::raw::Context;
use linda::Cancel;

use crate::chunks::Chunks;
use crate::loading::Loading;
use crate::state_create::OnCreate;
use crate::timers::Timers;

/// One per universe.
#[derive(Default)]
pub struct Shared {
    /// The options of `configure` that lanes need too: a table.
    pub options: OnceLock<Message>,
    /// The `on_state_create` option.
    pub on_create: OnceLock<OnCreate>,
    /// Which modules are being loaded.
    pub loading: Loading,
    /// Our own Lua code.
    pub chunks: Chunks,
    /// Ends what waits in Rust for lanes of this universe, once it has closed.
    pub closing: Arc<Cancel>,
    /// The timers.
    pub timers: Timers,
}

/// What the universe of this context shares.
pub fn of(context: &Context) -> &Shared {
    match context.universe().shared() {
        Some(shared) => shared,
        None => unreachable!("every universe is made with one"),
    }
}
