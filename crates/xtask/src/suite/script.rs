//! Collects the Lua tests, and runs scripts on an interpreter.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};

use super::header::{Header, Valgrind};
use super::needs::Facts;
use crate::interpreter::Interpreter;
use crate::process::{self, Ended, Outcome};
use crate::tally::Tally;
use crate::{build, native, project};

/// One test.
pub(crate) struct Script {
    /// Path below `tests` without its extension, or the place in a document.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) expect: Expect,
    /// An unreadable header fails the test, not the whole run.
    pub(crate) header: Result<Header>,
}

impl Script {
    /// Whether it runs with the module that has panics on demand.
    pub(crate) fn needs_faults(&self) -> bool {
        let header = self.header.as_ref();
        header.is_ok_and(|header| header.needs.faults())
    }
}

/// What standard output must be.
pub(crate) enum Expect {
    /// The last line is `ok`: `check.done()` was reached.
    Ok,
    /// Exactly this.
    Output(Vec<u8>),
    /// Whatever.
    Any,
}

/// How the scripts are run.
#[derive(Clone)]
pub(crate) struct Options {
    pub(crate) jobs: usize,
    /// Overrides the header.
    pub(crate) cpus: Option<usize>,
    /// A program, with arguments, that runs the interpreter (valgrind).
    pub(crate) under: Vec<OsString>,
    /// More arguments of it, for scripts that must leak nothing.
    pub(crate) leaks: Vec<OsString>,
    /// More environment.
    pub(crate) env: Vec<(&'static str, String)>,
    /// Multiplies every time limit.
    pub(crate) slow: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            jobs: 2,
            cpus: None,
            under: Vec::new(),
            leaks: Vec::new(),
            env: Vec::new(),
            slow: 1,
        }
    }
}

/// Every script below `tests`, but for what is no test by itself, in `tests/lib`
/// and `tests/stress`, and every example, if its name contains `only`.
pub(crate) fn collect(only: Option<&str>) -> Result<Vec<Script>> {
    let root = project::root();
    let tests = root.join("tests");
    let others = [tests.join("lib"), tests.join("stress")];
    let examples = root.join("examples");
    let mut scripts = Vec::new();
    let mut paths = project::files_below(&tests, "lua")?;
    paths.extend(project::files_below(&examples, "lua")?);
    for path in paths {
        // Tests are named by what they test, examples with their directory.
        let name = path
            .strip_prefix(&tests)
            .or_else(|_| path.strip_prefix(&root))
            .unwrap_or(&path)
            .with_extension("")
            .display()
            .to_string();
        if others.iter().any(|other| path.starts_with(other))
            || only.is_some_and(|part| !name.contains(part))
        {
            continue;
        }
        let source = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", project::relative(&path)))?;
        let output = path.with_extension("out");
        let expect = if output.exists() {
            Expect::Output(std::fs::read(output)?)
        } else if path.starts_with(&examples) {
            anyhow::bail!(
                "{} is missing: what the example prints",
                project::relative(&output)
            );
        } else {
            Expect::Ok
        };
        scripts.push(Script {
            name,
            header: Header::parse(&source),
            path,
            expect,
        });
    }
    Ok(scripts)
}

/// Runs the scripts on several threads; results go to the tally.
pub(crate) fn run_all(
    interpreter: &Interpreter,
    scripts: &[Script],
    options: &Options,
    tally: &Tally,
) {
    let facts = Facts::of(interpreter);
    let queue = Mutex::new(scripts.iter().collect::<VecDeque<_>>());
    let next = || {
        queue
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front()
    };
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                while let Some(script) = next() {
                    run_one(interpreter, &facts, script, options, tally);
                }
            });
        }
    });
}

fn run_one(
    interpreter: &Interpreter,
    facts: &Facts,
    script: &Script,
    options: &Options,
    tally: &Tally,
) {
    let name = format!("[{}] {}", interpreter.flavour, script.name);
    let header = match &script.header {
        Ok(header) => header,
        Err(error) => return tally.fail(name, format!("{error:#}"), ""),
    };
    if let Some(clause) = header.needs.unmet(facts) {
        return tally.skip(name, format!("needs {clause}"));
    }
    if header.host && !native::host(interpreter.flavour).is_file() {
        return tally.skip(name, "the host program needs Lua as a library");
    }
    let mut took = Duration::ZERO;
    for args in &header.args {
        for round in 1..=header.loops {
            let mut place = String::new();
            if !args.is_empty() {
                place.push_str(&format!(" (args {})", args.join(" ")));
            }
            if header.loops > 1 {
                place.push_str(&format!(" (run {round} of {})", header.loops));
            }
            let mut cmd = command(interpreter, script, header, args, options);
            let limit = header.timeout * options.slow;
            match process::run(&mut cmd, limit, options.cpus.or(header.cpus)) {
                Err(error) => return tally.fail(name, format!("{error:#}{place}"), ""),
                Ok(outcome) => {
                    took += outcome.took;
                    if let Some(why) = wrong(&outcome, header, &script.expect) {
                        return tally.fail(name, format!("{why}{place}"), &shown(&outcome));
                    }
                }
            }
        }
    }
    let title = if header.title.is_empty() {
        String::new()
    } else {
        format!(": {}", header.title)
    };
    tally.pass(name, format!("({:.2} s){title}", took.as_secs_f64()));
}

fn command(
    interpreter: &Interpreter,
    script: &Script,
    header: &Header,
    args: &[String],
    options: &Options,
) -> Command {
    let program = if header.host {
        &native::host(interpreter.flavour)
    } else {
        &interpreter.program
    };
    let mut cmd = match options.under.split_first() {
        None => Command::new(program),
        Some((tool, rest)) => {
            let mut cmd = Command::new(tool);
            cmd.args(rest);
            if header.valgrind == Valgrind::Leaks {
                cmd.args(&options.leaks);
            }
            cmd.arg(program);
            cmd
        }
    };
    interpreter.set_env(&mut cmd);
    if header.host {
        cmd.env("LANES_LIBRARY", build::module_path(interpreter.flavour));
    }
    let mut lib = project::root().join("tests/lib").into_os_string();
    lib.push("/?.lua;;");
    cmd.env("LUA_PATH", lib);
    for module in &header.load {
        cmd.arg("-l").arg(module);
    }
    cmd.arg(inside_root(&script.path)).args(args);
    cmd.envs(options.env.iter().map(|(name, value)| (name, value)));
    let built = build::flavour_dir(interpreter.flavour);
    for (name, value) in &header.env {
        cmd.env(name, value.replace("{built}", &built.to_string_lossy()));
    }
    cmd
}

/// Relative to the root, where tests run, so that messages read the same everywhere.
fn inside_root(path: &Path) -> PathBuf {
    path.strip_prefix(project::root())
        .unwrap_or(path)
        .to_path_buf()
}

/// What is wrong with the outcome, if anything.
fn wrong(outcome: &Outcome, header: &Header, expect: &Expect) -> Option<String> {
    match outcome.ended {
        Ended::Hang => {
            return Some(format!(
                "hang: killed after {:.1} s",
                outcome.took.as_secs_f64()
            ));
        }
        Ended::Signal(signal) => return Some(format!("killed by signal {signal}")),
        Ended::Exit(rc) if rc != header.rc => {
            return Some(format!("status {rc} instead of {}", header.rc));
        }
        Ended::Exit(_) => {}
    }
    match &header.stderr {
        None if !outcome.stderr.is_empty() => {
            return Some("standard error is not empty".to_owned());
        }
        Some(regex) if !regex.is_match(&outcome.stderr) => {
            return Some(format!("standard error does not match `{regex}`"));
        }
        _ => {}
    }
    match expect {
        Expect::Any => None,
        Expect::Ok if last_line(&outcome.stdout) == b"ok" => None,
        Expect::Ok => Some("the last line is not `ok`: check.done() was not reached".to_owned()),
        Expect::Output(want) => difference(want, &outcome.stdout),
    }
}

fn last_line(bytes: &[u8]) -> &[u8] {
    bytes
        .trim_ascii_end()
        .rsplit(|b| *b == b'\n')
        .next()
        .unwrap_or_default()
}

fn difference(want: &[u8], got: &[u8]) -> Option<String> {
    let mut want = String::from_utf8_lossy(want).into_owned();
    let mut got = String::from_utf8_lossy(got).into_owned();
    if want == got {
        return None;
    }
    // The missing newline at the end becomes visible as a missing line.
    for text in [&mut want, &mut got] {
        text.push_str("<end of output>");
    }
    let pair = want
        .lines()
        .zip(got.lines())
        .enumerate()
        .find(|(_, (w, g))| w != g);
    let (line, (want, got)) = pair?;
    Some(format!(
        "output line {}: expected `{want}`, got `{got}`",
        line + 1
    ))
}

/// Both outputs, long ones shortened from the front.
pub(crate) fn shown(outcome: &Outcome) -> String {
    const KEPT: usize = 4000;
    let mut text = String::new();
    for (name, bytes) in [("stdout", &outcome.stdout), ("stderr", &outcome.stderr)] {
        if bytes.is_empty() {
            continue;
        }
        let kept = &bytes[bytes.len().saturating_sub(KEPT)..];
        let cut = if kept.len() < bytes.len() {
            " (its end)"
        } else {
            ""
        };
        text.push_str(&format!(
            "{name}{cut}:\n{}\n",
            String::from_utf8_lossy(kept).trim_end()
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(ended: Ended, stdout: &str, stderr: &str) -> Outcome {
        Outcome {
            ended,
            stdout: stdout.into(),
            stderr: stderr.into(),
            took: Duration::ZERO,
        }
    }

    fn judge(
        header: &str,
        expect: Expect,
        ended: Ended,
        stdout: &str,
        stderr: &str,
    ) -> Option<String> {
        wrong(
            &outcome(ended, stdout, stderr),
            &Header::parse(header).unwrap(),
            &expect,
        )
    }

    #[test]
    fn what_passes() {
        assert_eq!(
            judge("", Expect::Ok, Ended::Exit(0), "hello\nok\n", ""),
            None
        );
        assert_eq!(
            judge(
                "-- rc: 1\n-- stderr: boom",
                Expect::Any,
                Ended::Exit(1),
                "",
                "lua: boom\n"
            ),
            None
        );
        assert_eq!(
            judge("", Expect::Output("a\n".into()), Ended::Exit(0), "a\n", ""),
            None
        );
    }

    #[test]
    fn what_fails() {
        let fails =
            |header, expect, ended, out, err| judge(header, expect, ended, out, err).unwrap();
        assert!(fails("", Expect::Ok, Ended::Exit(0), "not ok\n", "").contains("check.done"));
        assert!(fails("", Expect::Ok, Ended::Exit(0), "", "").contains("check.done"));
        assert!(fails("", Expect::Ok, Ended::Exit(1), "ok\n", "").contains("status 1"));
        assert!(fails("", Expect::Ok, Ended::Signal(11), "ok\n", "").contains("signal 11"));
        assert!(fails("", Expect::Ok, Ended::Hang, "ok\n", "").contains("hang"));
        assert!(fails("", Expect::Ok, Ended::Exit(0), "ok\n", "warning\n").contains("not empty"));
        assert!(fails("-- stderr: boom", Expect::Ok, Ended::Exit(0), "ok\n", "").contains("boom"));
        let want = || Expect::Output("a\nb\n".into());
        assert!(
            fails("", want(), Ended::Exit(0), "a\nc\n", "")
                .starts_with("output line 2: expected `b`, got `c`")
        );
        assert!(
            fails("", want(), Ended::Exit(0), "a\n", "")
                .contains("expected `b`, got `<end of output>`")
        );
        assert!(fails("", want(), Ended::Exit(0), "a\nb", "").contains("got `b<end of output>`"));
    }
}
