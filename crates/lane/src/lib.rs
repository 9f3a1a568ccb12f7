//! Lua states on threads.
