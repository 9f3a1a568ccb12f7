//! Exports the interpreter's C interface from the executable, so that C modules
//! (luasocket and the like) find it, as they do in a stock interpreter.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    match std::env::var("CARGO_CFG_TARGET_OS").as_deref() {
        // Lua's names only, not those of the Rust code around it.
        Ok("linux" | "freebsd") => {
            println!("cargo::rustc-link-arg-bins=-Wl,--export-dynamic-symbol=lua*");
        }
        Ok("windows") => {}
        _ => println!("cargo::rustc-link-arg-bins=-rdynamic"),
    }
}
