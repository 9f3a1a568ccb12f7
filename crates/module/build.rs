//! Keeps the library mapped for the life of the process: a lane that outlives
//! the closing of its universe may still be running code of ours.

fn main() {
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
        println!("cargo::rustc-link-arg-examples=-Wl,-z,nodelete");
    }
}
