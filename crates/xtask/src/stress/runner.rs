//! Runs one program after another, several at once, and reports those that end
//! badly.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::progress::Progress;
use super::{stacks, verdict};
use crate::interpreter::Interpreter;
use crate::process::{self, Outcome};
use crate::project;
use crate::tally::Tally;

/// One process to be run.
pub(crate) struct Job<'a> {
    pub(crate) interpreter: &'a Interpreter,
    /// Below `tests/stress`.
    pub(crate) script: &'static str,
    pub(crate) args: Vec<String>,
    /// On the first processor only.
    pub(crate) pinned: bool,
    /// What to type to have it again.
    pub(crate) again: String,
}

/// How much is run.
pub(crate) struct Load {
    /// Processes at a time.
    pub(crate) jobs: usize,
    /// Until then.
    pub(crate) until: Option<Instant>,
    /// Seconds after which a process hangs.
    pub(crate) limit: Duration,
}

/// After so many failures the rest tells nothing new.
const ENOUGH: u64 = 20;

/// What came of a row of runs.
pub(crate) struct Summary {
    pub(crate) runs: u64,
    /// The longest run: seconds, and what it was.
    slowest: (f64, String),
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (seconds, what) = &self.slowest;
        write!(f, "{} runs, the longest {seconds:.1} s ({what})", self.runs)
    }
}

/// Runs the jobs that `next` gives for 0, 1, 2, … until it gives none, or the
/// time is up.
pub(crate) fn run<'a>(
    load: &Load,
    what: &str,
    tally: &Tally,
    next: impl Fn(u64) -> Option<Job<'a>> + Sync,
) -> Summary {
    let (taken, done, failed) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let progress = Progress::new();
    let begun = Instant::now();
    let reporting = Mutex::new(());
    let slowest = Mutex::new((0.0, String::new()));
    let over = || {
        failed.load(Ordering::Relaxed) >= ENOUGH
            || load.until.is_some_and(|until| Instant::now() >= until)
    };
    std::thread::scope(|scope| {
        for _ in 0..load.jobs.max(1) {
            scope.spawn(|| {
                while !over() {
                    let Some(job) = next(taken.fetch_add(1, Ordering::Relaxed)) else {
                        break;
                    };
                    let started = Instant::now();
                    let result = one(&job, load.limit);
                    done.fetch_add(1, Ordering::Relaxed);
                    let took = started.elapsed().as_secs_f64();
                    let mut longest = slowest.lock().unwrap_or_else(PoisonError::into_inner);
                    if took > longest.0 {
                        *longest = (took, name(&job));
                    }
                    drop(longest);
                    if let Err(failure) = result {
                        failed.fetch_add(1, Ordering::Relaxed);
                        let _turn = reporting.lock();
                        progress.clear();
                        tally.fail(name(&job), &failure.why, &failure.text);
                        println!("      again: {}", job.again);
                        println!("      or:    {}", by_hand(&job));
                    }
                    progress.say(|| {
                        format!(
                            "{what}: {} done, {} failed, {:.0} s",
                            done.load(Ordering::Relaxed),
                            failed.load(Ordering::Relaxed),
                            begun.elapsed().as_secs_f64()
                        )
                    });
                }
            });
        }
    });
    progress.clear();
    let failures = failed.load(Ordering::Relaxed);
    if failures >= ENOUGH {
        println!("{what}: {failures} failures are enough");
    }
    tally.add(usize::try_from(done.load(Ordering::Relaxed) - failures).unwrap_or(0));
    Summary {
        runs: done.load(Ordering::Relaxed),
        slowest: slowest.into_inner().unwrap_or_else(PoisonError::into_inner),
    }
}

fn name(job: &Job<'_>) -> String {
    format!(
        "[{}] {} {}{}",
        job.interpreter.flavour,
        job.script,
        job.args.join(" "),
        if job.pinned { " on one processor" } else { "" }
    )
}

pub(crate) struct Failure {
    pub(crate) why: String,
    pub(crate) text: String,
}

/// Runs one to its end.
pub(crate) fn one(job: &Job<'_>, limit: Duration) -> Result<Outcome, Failure> {
    let mut cmd = job.interpreter.command();
    cmd.env("LUA_PATH", "tests/lib/?.lua;;")
        .arg(script(job))
        .args(&job.args);
    let mut threads = String::new();
    let cpus = job.pinned.then_some(1);
    let outcome = process::watch(&mut cmd, limit, cpus, |pid| threads = stacks::of(pid)).map_err(
        |error| Failure {
            why: format!("{error:#}"),
            text: String::new(),
        },
    )?;
    match verdict::wrong(&outcome) {
        None => Ok(outcome),
        Some(why) => {
            let mut text = crate::suite::script::shown(&outcome);
            text.push_str(&threads);
            Err(Failure { why, text })
        }
    }
}

fn script(job: &Job<'_>) -> PathBuf {
    PathBuf::from("tests/stress").join(job.script)
}

/// The command without us around it.
pub(crate) fn by_hand(job: &Job<'_>) -> String {
    let flavour = job.interpreter.flavour;
    let program = &job.interpreter.program;
    let mut text = String::from("LUA_PATH='tests/lib/?.lua;;' ");
    text.push_str(&format!("LUA_CPATH='target/flavours/{flavour}/?.so;;' "));
    if job.pinned {
        text.push_str("taskset -c 0 ");
    }
    text.push_str(&project::relative(program));
    text.push_str(&format!(
        " {} {}",
        script(job).display(),
        job.args.join(" ")
    ));
    text
}
