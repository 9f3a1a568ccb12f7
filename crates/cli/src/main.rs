//! A standalone Lua interpreter with the module preloaded.
fn main() {
    // SAFETY: all libraries, as a stock interpreter has them.
    let lua = unsafe { mlua::Lua::unsafe_new() };
    let _ = lua;
}
