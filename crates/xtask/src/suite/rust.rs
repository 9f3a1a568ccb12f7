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
        project::cargo().args([
            "clippy",
            "--quiet",
            "--workspace",
            "--exclude",
            "module",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ]),
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
            .args([
                "doc",
                "--quiet",
                "--workspace",
                "--exclude",
                "module",
                "--no-deps",
            ])
            .env("RUSTDOCFLAGS", "-D warnings"),
    );
}

/// Unit tests, integration tests and documentation tests of all but `module`,
/// which cannot be unified with the vendored interpreter.
pub(crate) fn tests(tally: &Tally) -> Result<()> {
    cargo_test(
        tally,
        project::cargo().args([
            "test",
            "--workspace",
            "--exclude",
            "module",
            "--no-fail-fast",
        ]),
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

/// Runs `cargo test`, shows what it prints but for the tests that pass, and
/// counts.
pub(crate) fn cargo_test(tally: &Tally, cmd: &mut Command) -> Result<()> {
    let text = project::shown(cmd);
    println!("== {text}");
    let mut child = cmd
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run `{text}`"))?;
    let mut failed = false;
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            let line = line?;
            match Line::parse(&line) {
                Line::Passed => tally.add(1),
                Line::Failed(name) => {
                    failed = true;
                    tally.fail(name, "failed, see below", "");
                }
                Line::Ignored(name, reason) => tally.skip(name, reason),
                Line::Other if line.trim().is_empty() => {}
                Line::Other => println!("{line}"),
            }
        }
    }
    let status = child.wait()?;
    if !failed && !status.success() {
        tally.fail(&text, status, "");
    }
    Ok(())
}

/// A line of the test harness's output.
#[derive(Debug, PartialEq)]
enum Line<'a> {
    Passed,
    Failed(&'a str),
    Ignored(&'a str, &'a str),
    Other,
}

impl Line<'_> {
    fn parse(line: &str) -> Line<'_> {
        let parts = line
            .strip_prefix("test ")
            .and_then(|rest| rest.rsplit_once(" ... "));
        let Some((name, outcome)) = parts else {
            return Line::Other;
        };
        match outcome.split_once(", ").unwrap_or((outcome, "ignored")) {
            ("ok", _) => Line::Passed,
            ("FAILED", _) => Line::Failed(name),
            ("ignored", reason) => Line::Ignored(name, reason),
            _ => Line::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        assert_eq!(Line::parse("test a::b ... ok"), Line::Passed);
        assert_eq!(Line::parse("test a::b - should panic ... ok"), Line::Passed);
        assert_eq!(Line::parse("test a::b ... FAILED"), Line::Failed("a::b"));
        assert_eq!(
            Line::parse("test a (line 3) ... ignored"),
            Line::Ignored("a (line 3)", "ignored")
        );
        assert_eq!(
            Line::parse("test a ... ignored, too slow"),
            Line::Ignored("a", "too slow")
        );
        assert_eq!(
            Line::parse("test result: ok. 3 passed; 0 failed"),
            Line::Other
        );
    }
}
