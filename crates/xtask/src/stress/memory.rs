//! Many random programs in one process, whose memory must stay flat.

use std::time::Duration;

use super::runner::{self, Job};
use super::verdict;
use crate::interpreter::Interpreter;
use crate::tally::Tally;

/// Runs on each interpreter in turn, `time` in all.
pub(crate) fn run(
    interpreters: &[Interpreter],
    seed: u64,
    time: Duration,
    pinned: Option<bool>,
    tally: &Tally,
) {
    println!("== memory of random programs in one process, from seed {seed}");
    let each = time.as_secs_f64() / interpreters.len().max(1) as f64;
    for (turn, interpreter) in interpreters.iter().enumerate() {
        let flavour = interpreter.flavour;
        let job = Job {
            interpreter,
            script: "program.lua",
            args: vec![seed.to_string(), "rounds".to_owned(), format!("{each:.1}")],
            pinned: pinned.unwrap_or(turn % 2 == 1),
            again: String::new(),
        };
        let name = format!("[{flavour}] memory");
        match runner::one(&job, Duration::from_secs_f64(each + 150.0)) {
            Ok(outcome) => {
                let figure = verdict::memory(&outcome).unwrap_or_default();
                println!("{name}: {figure}");
                tally.pass(name, "");
            }
            Err(failure) => {
                tally.fail(name, failure.why, &failure.text);
                println!("      again: {}", runner::by_hand(&job));
            }
        }
    }
}
