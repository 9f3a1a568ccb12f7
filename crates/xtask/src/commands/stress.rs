//! `stress`: the Lua tests over and over, in turn on one processor, on all of
//! them, and with more of them at once than there are processors. Races that a
//! quiet run hides show when threads are stopped at odd places.

use std::process::ExitCode;

use anyhow::Result;
use lexopt::Arg::{Long, Short};
use lexopt::ValueExt;

use super::test;
use crate::flavour::{self, Flavour};
use crate::suite::script::{self, Options};
use crate::tally::Tally;

pub(crate) fn main(mut args: lexopt::Parser) -> Result<ExitCode> {
    let mut flavours = Vec::new();
    let mut only = None;
    let mut rounds = 10_u32;
    let mut jobs = None;
    while let Some(arg) = args.next()? {
        match arg {
            Long("flavour") | Short('f') => flavour::add(&mut flavours, &args.value()?.string()?)?,
            Long("only") => only = Some(args.value()?.string()?),
            Long("rounds") => rounds = args.value()?.parse()?,
            Long("jobs") | Short('j') => jobs = Some(args.value()?.parse()?),
            other => return Err(other.unexpected().into()),
        }
    }
    if flavours.is_empty() {
        flavours = Flavour::ALL.to_vec();
    }
    let processors = std::thread::available_parallelism().map_or(2, usize::from);
    let base = Options {
        slow: 4,
        jobs: jobs.unwrap_or(processors),
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
    let scripts = script::collect(only.as_deref())?;
    let tally = Tally::default();
    for flavour in flavours {
        let Some(interpreter) = test::prepare(flavour, &tally) else {
            continue;
        };
        for round in 1..=rounds {
            for (what, options) in &settings {
                println!(
                    "== {}: round {round} of {rounds}, {what}",
                    interpreter.name()
                );
                script::run_all(&interpreter, &scripts, options, &tally);
            }
        }
    }
    Ok(tally.close())
}
