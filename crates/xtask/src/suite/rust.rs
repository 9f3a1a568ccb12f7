//! The Rust side: format, lints, documentation, unit tests, models.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::build;
use crate::flavour::Flavour;
use crate::project;
use crate::tally::Tally;

/// The module cannot be linted with the other packages (see `Cargo.toml`); one
/// flavour of it is enough, for it has no code of its own.
const MODULE_FLAVOUR: Flavour = Flavour::Lua54;

/// Format, lints and documentation, warnings being errors.
pub(crate) fn lint(tally: &Tally) {
    step(tally, project::cargo().args(["fmt", "--all", "--check"]));
    step(
        tally,
        project::cargo().args(["clippy", "--quiet", "--all-targets", "--", "-D", "warnings"]),
    );
    let mut module = project::cargo();
    module.args([
        "clippy",
        "--quiet",
        "-p",
        "module",
        "--features",
        MODULE_FLAVOUR.feature(),
        "--target-dir",
    ]);
    module
        .arg(build::cargo_dir(MODULE_FLAVOUR))
        .args(["--", "-D", "warnings"]);
    step(tally, &mut module);
    step(
        tally,
        project::cargo()
            .args(["doc", "--quiet", "--no-deps"])
            .env("RUSTDOCFLAGS", "-D warnings"),
    );
}

/// Unit tests, integration tests and documentation tests of the default members.
pub(crate) fn tests(tally: &Tally) -> Result<()> {
    cargo_test(
        tally,
        project::cargo().args(["test", "--quiet", "--no-fail-fast"]),
    )
}

/// The loom models of the core, if they exist.
pub(crate) fn loom(tally: &Tally) -> Result<()> {
    if !project::root().join("crates/linda/tests/loom.rs").exists() {
        tally.skip("loom", "crates/linda/tests/loom.rs does not exist");
        return Ok(());
    }
    let mut cmd = project::cargo();
    cmd.args([
        "test",
        "--quiet",
        "-p",
        "linda",
        "--release",
        "--test",
        "loom",
        "--target-dir",
    ]);
    cmd.arg(project::root().join("target/cargo/loom"));
    cmd.env("RUSTFLAGS", "--cfg rlanes_loom");
    cargo_test(tally, &mut cmd)
}

fn step(tally: &Tally, cmd: &mut Command) {
    let text = project::shown(cmd);
    println!("== {text}");
    match project::run(cmd) {
        Ok(()) => tally.pass(text, ""),
        Err(error) => tally.fail(text, format!("{error:#}"), ""),
    }
}

/// Runs `cargo test`, shows what it prints, and adds up its result lines.
fn cargo_test(tally: &Tally, cmd: &mut Command) -> Result<()> {
    let text = project::shown(cmd);
    println!("== {text}");
    let mut child = cmd
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run `{text}`"))?;
    let mut failed = 0;
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            let line = line?;
            if let Some(result) = Counts::parse(&line) {
                tally.add(result.passed, result.ignored);
                failed += result.failed;
            }
            if !line.trim().is_empty() && line.trim() != "running 0 tests" {
                println!("{line}");
            }
        }
    }
    let status = child.wait()?;
    for _ in 0..failed {
        tally.fail(&text, "a Rust test failed, see above", "");
    }
    if failed == 0 && !status.success() {
        tally.fail(&text, status, "");
    }
    Ok(())
}

/// The figures of a `test result:` line.
#[derive(Debug, PartialEq)]
struct Counts {
    passed: usize,
    failed: usize,
    ignored: usize,
}

impl Counts {
    fn parse(line: &str) -> Option<Counts> {
        let rest = line.trim().strip_prefix("test result: ")?;
        let number = |word: &str| {
            let before = rest.split(word).next()?.trim_end();
            before.rsplit([' ', '.']).next()?.parse().ok()
        };
        Some(Counts {
            passed: number("passed")?,
            failed: number("failed;")?,
            ignored: number("ignored")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines() {
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 4 filtered out; finished in 0.1s";
        assert_eq!(
            Counts::parse(line),
            Some(Counts {
                passed: 12,
                failed: 3,
                ignored: 1
            })
        );
        assert_eq!(Counts::parse("running 3 tests"), None);
    }
}
