//! `setup`: installs what the tests need.

use std::process::{Command, ExitCode};

use anyhow::{Result, bail};

use crate::flavour::Flavour;
use crate::interpreter::Interpreter;
use crate::native;
use crate::project;

pub(crate) fn main(mut args: lexopt::Parser) -> Result<ExitCode> {
    if let Some(other) = args.next()? {
        return Err(other.unexpected().into());
    }
    run()?;
    Ok(ExitCode::SUCCESS)
}

/// Installs what is missing, or fails and names it.
pub(crate) fn run() -> Result<()> {
    println!("== setup");
    rust_components()?;
    let packages = missing();
    if packages.is_empty() {
        println!("everything that the tests need is installed");
        return Ok(());
    }
    let install = format!("apt-get install -y {}", packages.join(" "));
    if project::which("apt-get").is_none() {
        bail!(
            "these are missing (names of Debian's packages): {}",
            packages.join(" ")
        );
    }
    if !is_root() {
        bail!(
            "these are missing: {}; run as root: apt-get update && {install}",
            packages.join(" ")
        );
    }
    println!("{install}");
    apt(&["update"])?;
    let mut all = vec!["install", "-y", "--no-install-recommends"];
    all.extend(&packages);
    apt(&all)?;
    match missing() {
        still if still.is_empty() => Ok(()),
        still => bail!("installed, and yet missing: {}", still.join(" ")),
    }
}

/// Debian's packages of what the tests use and the machine lacks.
fn missing() -> Vec<&'static str> {
    let mut packages = Vec::new();
    let mut stock = Vec::new();
    for flavour in Flavour::ALL {
        let Some(package) = flavour.debian_package() else {
            continue;
        };
        match Interpreter::stock(flavour) {
            Some(interpreter) => stock.push(interpreter),
            None => packages.push(package),
        }
    }
    if cfg!(target_os = "linux") {
        let bare = Flavour::ALL
            .into_iter()
            .filter(|flavour| native::headers(*flavour).is_none());
        packages.extend(bare.filter_map(Flavour::debian_headers));
    }
    if !packages.is_empty() || !stock.iter().all(|lua| lua.can_require("socket")) {
        packages.push("lua-socket");
    }
    let mut tools = vec!["python3"];
    if cfg!(target_os = "linux") {
        tools.extend(["valgrind", "luarocks"]);
    }
    packages.extend(tools.iter().filter(|tool| project::which(tool).is_none()));
    packages
}

/// rustup's minimal profile has neither of them.
fn rust_components() -> Result<()> {
    for (component, program) in [("rustfmt", "cargo-fmt"), ("clippy", "cargo-clippy")] {
        let works = |program: &str| {
            Command::new(program)
                .arg("--version")
                .output()
                .is_ok_and(|o| o.status.success())
        };
        if works(program) {
            continue;
        }
        if project::which("rustup").is_none() {
            bail!("{component} is missing");
        }
        project::run(Command::new("rustup").args(["component", "add", component]))?;
    }
    Ok(())
}

fn apt(args: &[&str]) -> Result<()> {
    let mut cmd = Command::new("apt-get");
    cmd.arg("-q")
        .args(args)
        .env("DEBIAN_FRONTEND", "noninteractive");
    project::run(&mut cmd)
}

#[cfg(unix)]
fn is_root() -> bool {
    // SAFETY: a system call without arguments that cannot fail.
    unsafe { libc::geteuid() == 0 }
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}
