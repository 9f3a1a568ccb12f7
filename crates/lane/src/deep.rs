//! Deep userdata: objects shared by all states, each with a proxy per state.

use std::any::Any;
use std::sync::Arc;

use crate::raw::Kind;

/// An object that travels by reference. Every state that holds it has one
/// proxy userdata for it, so that `==` works within a state; the object lives
/// as long as any proxy or any message that carries it.
pub trait Deep: Any + Send + Sync {
    /// How its proxies are made.
    fn kind(&self) -> &'static Kind;
    /// For getting the concrete type back.
    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}
