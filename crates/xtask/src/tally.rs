//! Counts what passed, failed and was skipped, and says so as it happens.

use std::fmt::Display;
use std::process::ExitCode;
use std::sync::Mutex;

/// Shared by the threads that run the tests.
#[derive(Default)]
pub(crate) struct Tally {
    counts: Mutex<Counts>,
    verbose: bool,
}

#[derive(Default)]
struct Counts {
    passed: usize,
    failed: Vec<String>,
    skipped: usize,
}

impl Tally {
    pub(crate) fn new(verbose: bool) -> Tally {
        Tally {
            verbose,
            ..Tally::default()
        }
    }

    pub(crate) fn pass(&self, name: impl Display, note: impl Display) {
        let mut counts = self.lock();
        counts.passed += 1;
        if self.verbose {
            println!("ok    {name} {note}");
        }
    }

    /// `output` is shown indented below the line.
    pub(crate) fn fail(&self, name: impl Display, why: impl Display, output: &str) {
        let mut counts = self.lock();
        let line = format!("{name}: {why}");
        println!("FAIL  {line}");
        for text in output.lines() {
            println!("      | {text}");
        }
        counts.failed.push(line);
    }

    pub(crate) fn skip(&self, name: impl Display, why: impl Display) {
        let mut counts = self.lock();
        counts.skipped += 1;
        println!("skip  {name}: {why}");
    }

    /// Adds tests that passed in another runner.
    pub(crate) fn add(&self, passed: usize) {
        self.lock().passed += passed;
    }

    /// Prints the failures again and the closing line.
    pub(crate) fn close(&self) -> ExitCode {
        let counts = self.lock();
        if !counts.failed.is_empty() {
            println!("\nfailures:");
            for line in &counts.failed {
                println!("  {line}");
            }
        }
        println!(
            "{} passed, {} failed, {} skipped",
            counts.passed,
            counts.failed.len(),
            counts.skipped
        );
        if counts.failed.is_empty() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Counts> {
        self.counts
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
