//! `tsan` and `asan`: the core's tests and the marked scripts with the thread
//! and the address sanitizer; `miri`: the core's tests in Miri.
//!
//! The sanitizers are the compiler's own. Its stable version ships them too,
//! but asks to be told that one knows what one does (`RUSTC_BOOTSTRAP`). The
//! standard library is the one that is installed, not instrumented: what it
//! does out of sight stands in `tests/sanitizers/NAME.supp`, with reasons. The
//! interpreter inside the stand-alone runner is instrumented by the C compiler.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Result, bail};
use lexopt::Arg::{Long, Short};
use lexopt::ValueExt;

use crate::flavour::{self, Flavour};
use crate::interpreter::Interpreter;
use crate::native;
use crate::project;
use crate::suite::header::Valgrind;
use crate::suite::rust;
use crate::suite::script::{self, Options};
use crate::tally::Tally;

/// One of the sanitizers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sanitizer {
    Thread,
    Address,
}

impl Sanitizer {
    /// What compilers call it.
    fn name(self) -> &'static str {
        match self {
            Sanitizer::Thread => "thread",
            Sanitizer::Address => "address",
        }
    }

    fn short(self) -> &'static str {
        match self {
            Sanitizer::Thread => "tsan",
            Sanitizer::Address => "asan",
        }
    }

    /// The environment of a program that was built with it.
    fn options(self) -> Vec<(&'static str, String)> {
        let file = project::root().join(format!("tests/sanitizers/{}.supp", self.short()));
        let suppressions = if file.is_file() {
            format!(":suppressions={}", file.display())
        } else {
            String::new()
        };
        match self {
            // Enough of the past to show both sides of a race.
            Sanitizer::Thread => vec![(
                "TSAN_OPTIONS",
                format!("exitcode=66:history_size=4{suppressions}"),
            )],
            // What a lane that was left alone has at the end is no leak, and
            // valgrind looks for the others.
            Sanitizer::Address => vec![(
                "ASAN_OPTIONS",
                format!("exitcode=66:detect_leaks=0{suppressions}"),
            )],
        }
    }
}

pub(crate) fn main(sanitizer: Sanitizer, mut args: lexopt::Parser) -> Result<ExitCode> {
    let mut flavours = Vec::new();
    let mut only = None;
    let mut options = Options {
        slow: 20,
        ..Options::default()
    };
    while let Some(arg) = args.next()? {
        match arg {
            Long("flavour") | Short('f') => flavour::add(&mut flavours, &args.value()?.string()?)?,
            Long("only") => only = Some(args.value()?.string()?),
            Long("jobs") | Short('j') => options.jobs = args.value()?.parse()?,
            other => return Err(other.unexpected().into()),
        }
    }
    if flavours.is_empty() {
        flavours.push(Flavour::Lua54);
    }
    let target = needed(sanitizer)?;
    options.env = sanitizer.options();
    let tally = Tally::new(true);
    if only.is_none() {
        core(sanitizer, &target, &tally)?;
    }
    let mut scripts = script::collect(only.as_deref())?;
    scripts.retain(|script| {
        let Ok(header) = &script.header else {
            return true;
        };
        // Those that look for leaks are about memory, and long.
        let wanted = match sanitizer {
            Sanitizer::Thread => header.valgrind == Valgrind::Use,
            Sanitizer::Address => header.valgrind != Valgrind::No,
        };
        wanted && !header.host && !header.needs.faults()
    });
    for flavour in flavours {
        if flavour.is_jit() {
            tally.skip(
                format!("[{flavour}]"),
                "LuaJIT's assembler code and its allocator are beyond sanitizers",
            );
            continue;
        }
        let interpreter = Interpreter::at(flavour, runner(sanitizer, &target, flavour)?);
        native::build(flavour)?;
        println!(
            "== {} {flavour}: {} scripts",
            sanitizer.short(),
            scripts.len()
        );
        script::run_all(&interpreter, &scripts, &options, &tally);
    }
    Ok(tally.close())
}

/// The compiler's target, if it has the sanitizer's run-time library.
fn needed(sanitizer: Sanitizer) -> Result<String> {
    let print = |what: &str| -> Result<String> {
        let output = Command::new("rustc").args(["--print", what]).output()?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let target = print("host-tuple")?;
    let libraries = Path::new(&print("sysroot")?)
        .join("lib/rustlib")
        .join(&target)
        .join("lib");
    let wanted = format!("_rt.{}.a", sanitizer.short());
    let there = std::fs::read_dir(&libraries)?
        .filter_map(Result::ok)
        .any(|entry| entry.file_name().to_string_lossy().ends_with(&wanted));
    if !there {
        bail!(
            "this Rust toolchain has no {} sanitizer for {target}: no *{wanted} in {}",
            sanitizer.name(),
            libraries.display()
        );
    }
    Ok(target)
}

fn target_dir(sanitizer: Sanitizer) -> PathBuf {
    project::root().join("target/cargo").join(sanitizer.short())
}

/// A cargo command whose results have the sanitizer inside.
fn cargo(sanitizer: Sanitizer, target: &str, args: &[&str]) -> Command {
    let mut cmd = project::cargo();
    cmd.args(args).args(["--target", target, "--target-dir"]);
    cmd.arg(target_dir(sanitizer));
    cmd.env("RUSTC_BOOTSTRAP", "1");
    cmd.env(
        "RUSTFLAGS",
        format!(
            "-Zsanitizer={} -Cunsafe-allow-abi-mismatch=sanitizer",
            sanitizer.name()
        ),
    );
    // Fast enough to race, and still with all frames.
    cmd.env("CARGO_PROFILE_DEV_OPT_LEVEL", "1");
    cmd.env("CARGO_PROFILE_DEV_DEBUG", "line-tables-only");
    cmd.env(
        format!("CFLAGS_{}", target.replace('-', "_")),
        format!("-fsanitize={} -fno-omit-frame-pointer -g", sanitizer.name()),
    );
    cmd.envs(sanitizer.options());
    cmd
}

/// The tests of `linda`.
fn core(sanitizer: Sanitizer, target: &str, tally: &Tally) -> Result<()> {
    let args = ["test", "-p", "linda", "--lib", "--tests", "--no-fail-fast"];
    rust::cargo_test(tally, &mut cargo(sanitizer, target, &args))
}

/// Builds the stand-alone runner.
fn runner(sanitizer: Sanitizer, target: &str, flavour: Flavour) -> Result<PathBuf> {
    let args = ["build", "--quiet", "-p", "cli", "--no-default-features"];
    let mut cmd = cargo(sanitizer, target, &args);
    cmd.args(["--features", flavour.feature()]);
    project::run(&mut cmd)?;
    Ok(target_dir(sanitizer).join(target).join("debug/lanes"))
}

/// `miri`: needs a component that only nightly toolchains have.
pub(crate) fn miri(mut args: lexopt::Parser) -> Result<ExitCode> {
    if let Some(other) = args.next()? {
        return Err(other.unexpected().into());
    }
    let there = Command::new("rustup")
        .args(["run", "nightly", "cargo", "miri", "--version"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !there {
        bail!(
            "Miri is not installed; `rustup toolchain install nightly --component miri,rust-src` \
             installs it"
        );
    }
    let mut cmd = Command::new("rustup");
    cmd.args(["run", "nightly", "cargo", "miri", "test", "-p", "linda"]);
    // The others run for long or measure time and memory.
    cmd.args(["--lib", "--test", "sequential", "--test", "drops"]);
    cmd.arg("--target-dir");
    cmd.arg(project::root().join("target/cargo/miri"));
    cmd.current_dir(project::root());
    cmd.env("MIRIFLAGS", "-Zmiri-disable-isolation");
    project::run(&mut cmd)?;
    Ok(ExitCode::SUCCESS)
}
