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
pub(crate) fn build(interpreter: &Interpreter) -> Result<Vec<Who>> {
    let flavour = interpreter.flavour;
    let mut able = Vec::new();
    let Some(headers) = native::headers(flavour) else {
        println!(
            "no ZeroMQ on {}: `apt-get install {}`",
            interpreter.name(),
            flavour.debian_headers().unwrap_or("lua-dev")
        );
        return Ok(able);
    };
    std::fs::create_dir_all(directory(flavour))?;
    compile(flavour, &headers, "threads", &["-pthread"])?;
    if !has_header("zmq.h") {
        println!("no ZeroMQ: `apt-get install libzmq3-dev`");
        return Ok(able);
    }
    compile(flavour, &headers, "zmq_c", &["-lzmq"])?;
    able.push(Who::ZmqC);
    if flavour.is_jit() {
        able.push(Who::ZmqFfi);
    }
    Ok(able)
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
