//! Random programs, each with a seed of its own.

use std::time::{Duration, Instant};

use super::runner::{self, Job, Load};
use crate::interpreter::Interpreter;
use crate::tally::Tally;

/// What is to be run.
pub(crate) struct Plan {
    /// The seed of the first; the others count on from it.
    pub(crate) seed: u64,
    /// This seed alone, so many times; else one after another until the time
    /// is up.
    pub(crate) repeat: Option<u64>,
    pub(crate) time: Duration,
    /// On one processor, on all of them, or by turns.
    pub(crate) pinned: Option<bool>,
    pub(crate) jobs: usize,
}

/// The longest that a program may take. They are over in a second; this one
/// is for a busy machine.
const LIMIT: Duration = Duration::from_secs(100);

/// Each seed is run on every interpreter.
pub(crate) fn run(interpreters: &[Interpreter], plan: &Plan, tally: &Tally) {
    let load = Load {
        jobs: plan.jobs,
        until: plan.repeat.is_none().then(|| Instant::now() + plan.time),
        limit: LIMIT,
    };
    println!("== random programs from seed {}", plan.seed);
    let runs = runner::run(&load, "random programs", tally, |n| {
        let width = interpreters.len() as u64;
        let (turn, which) = (n / width, (n % width) as usize);
        if plan.repeat.is_some_and(|times| turn >= times) {
            return None;
        }
        let interpreter = &interpreters[which];
        let seed = match plan.repeat {
            Some(_) => plan.seed,
            None => plan.seed + turn,
        };
        // By turns, so that every flavour gets both.
        let pinned = plan.pinned.unwrap_or(turn % 2 == 1);
        Some(Job {
            interpreter,
            script: "program.lua",
            args: vec![seed.to_string()],
            pinned,
            again: format!(
                "cargo xtask stress --flavour {} --cores {} --seed {seed} --repeat 200",
                interpreter.flavour,
                if pinned { 1 } else { 2 }
            ),
        })
    });
    println!("random programs: {runs}");
}
