//! The C modules of the rivals that have no binding of their own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Result;

use super::contestant::Who;
use crate::build::{self, MODULE_SUFFIX};
use crate::flavour::Flavour;
use crate::interpreter::Interpreter;
use crate::native;
use crate::project;

/// Where the modules of one flavour lie.
pub(crate) fn directory(flavour: Flavour) -> PathBuf {
    build::flavour_dir(flavour).join("peers")
}

/// Builds what can be built for an interpreter, and gives who can run then.
/// Says what to install for the others.
pub(crate) fn of(interpreter: &Interpreter) -> Result<Vec<Who>> {
    let flavour = interpreter.flavour;
    let name = interpreter.name();
    let mut able = Vec::new();
    let Some(headers) = native::headers(flavour) else {
        let package = flavour.debian_headers().unwrap_or("its headers");
        println!("{name}: no rivals, for they need `apt-get install {package}`");
        return Ok(able);
    };
    std::fs::create_dir_all(directory(flavour))?;
    compile(flavour, &headers, "threads", &["-pthread"])?;
    able.extend([Who::Thread, Who::State]);
    if has_header("zmq.h") {
        compile(flavour, &headers, "zmq_c", &["-lzmq"])?;
        able.push(Who::ZmqC);
        if flavour.is_jit() {
            able.push(Who::ZmqFfi);
        }
    } else {
        println!("{name}: no ZeroMQ; `apt-get install libzmq3-dev`");
    }
    for (who, package) in [(Who::Cqueues, "lua-cqueues"), (Who::Luv, "lua-luv")] {
        if interpreter.can_require(who.name()) {
            able.push(who);
        } else {
            println!("{name}: no {}; `apt-get install {package}`", who.name());
        }
    }
    Ok(able)
}

/// Builds `threads` only, if there are headers for it.
pub(crate) fn threads(flavour: Flavour) -> Result<bool> {
    let Some(headers) = native::headers(flavour) else {
        return Ok(false);
    };
    std::fs::create_dir_all(directory(flavour))?;
    compile(flavour, &headers, "threads", &["-pthread"])?;
    Ok(true)
}

/// Builds the program with Rust's channels, with ZeroMQ if it can be.
pub(crate) fn rust() -> Result<(PathBuf, Vec<Who>)> {
    println!("building Rust's channels");
    let mut able = Who::RUST.to_vec();
    let mut cargo = project::cargo();
    cargo.args(["build", "--quiet", "--release", "-p", "rivals"]);
    if has_header("zmq.h") {
        cargo.args(["--features", "rivals/zmq"]);
    } else {
        println!("no ZeroMQ from Rust; `apt-get install libzmq3-dev`");
        able.retain(|who| *who != Who::ZmqRust);
    }
    cargo
        .arg("--target-dir")
        .arg(project::root().join("target"));
    project::run(&mut cargo)?;
    let program = format!("target/release/rivals{}", std::env::consts::EXE_SUFFIX);
    Ok((project::root().join(program), able))
}

fn compile(flavour: Flavour, headers: &Path, name: &str, libraries: &[&str]) -> Result<()> {
    let source = format!("benches/lua/peers/{name}.c");
    let mut cc = cc();
    cc.args(["-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]);
    if cfg!(target_os = "macos") {
        cc.args(["-undefined", "dynamic_lookup"]);
    }
    cc.arg("-I").arg(headers).arg(source);
    cc.arg("-o")
        .arg(directory(flavour).join(format!("{name}{MODULE_SUFFIX}")));
    cc.args(libraries);
    project::run(&mut cc)
}

fn cc() -> Command {
    let mut cc = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    cc.current_dir(project::root());
    cc
}

/// Whether the C compiler finds a header.
fn has_header(name: &str) -> bool {
    cc().args(["-E", "-x", "c", "-include", name, "/dev/null"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
