//! The Lua tests over and over, in turn on one processor, on all of them, and
//! with more of them at once than there are processors. Races that a quiet run
//! hides show when threads are stopped at odd places.

use anyhow::Result;

use crate::interpreter::Interpreter;
use crate::suite::script::{self, Options};
use crate::tally::Tally;

pub(crate) fn run(
    interpreters: &[Interpreter],
    rounds: u64,
    only: Option<&str>,
    jobs: usize,
    tally: &Tally,
) -> Result<()> {
    let base = Options {
        slow: 4,
        jobs,
        ..Options::default()
    };
    let settings = [
        (
            "one processor",
            Options {
                cpus: Some(1),
                ..base.clone()
            },
        ),
        ("all processors", base.clone()),
        (
            "crowded",
            Options {
                jobs: base.jobs * 4,
                ..base.clone()
            },
        ),
    ];
    let mut scripts = script::collect(only)?;
    // That module is not built here.
    scripts.retain(|script| !script.needs_faults());
    for interpreter in interpreters {
        for round in 1..=rounds {
            for (what, options) in &settings {
                println!(
                    "== {}: round {round} of {rounds}, {what}",
                    interpreter.name()
                );
                script::run_all(interpreter, &scripts, options, tally);
            }
        }
    }
    Ok(())
}
