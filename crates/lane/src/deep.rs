//! Deep userdata: objects shared by all states, each with a proxy per state.

use std::any::Any;
use std::ffi::c_void;
use std::sync::Arc;

use crate::raw::Kind;

/// An object that travels by reference. Every state that holds it has one
/// proxy userdata for it, so that `==` works within a state; the object lives
/// as long as any proxy or any message that carries it.
pub trait Deep: Any + Send + Sync {
    /// How its proxies are made.
    fn kind(&self) -> &'static Kind;
    /// What proxies of this object share their metatable with, in a state: all
    /// objects of the same class. By default the class is the kind.
    fn class(&self) -> *const c_void {
        std::ptr::from_ref(self.kind()).cast()
    }
    /// How many user values a proxy has, where the flavour has several. They
    /// travel with the object, to states that have no proxy of it yet.
    fn user_values(&self) -> u8 {
        0
    }
    /// For getting the concrete type back.
    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}
