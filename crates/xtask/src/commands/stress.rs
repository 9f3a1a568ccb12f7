//! `stress`: random programs, every way out, or the tests, again and again.

use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Result, bail};
use lexopt::Arg::{Long, Short};
use lexopt::ValueExt;

use super::test;
use crate::flavour::{self, Flavour};
use crate::interpreter::Interpreter;
use crate::stress::programs::Plan;
use crate::stress::{exits, memory, programs, tests};
use crate::tally::Tally;

pub(crate) fn main(mut args: lexopt::Parser) -> Result<ExitCode> {
    let mut flavours = Vec::new();
    let mut minutes = 1.0_f64;
    let mut seed = None;
    let mut repeat = None;
    let mut pinned = None;
    let mut only = None;
    let mut jobs = std::thread::available_parallelism().map_or(2, usize::from);
    let mut ways_out = None;
    let mut rounds = None;
    while let Some(arg) = args.next()? {
        match arg {
            Long("flavour") | Short('f') => flavour::add(&mut flavours, &args.value()?.string()?)?,
            Long("minutes") => minutes = args.value()?.parse()?,
            Long("seed") => seed = Some(args.value()?.parse()?),
            Long("repeat") => repeat = Some(args.value()?.parse()?),
            Long("cores") => {
                pinned = Some(match args.value()?.parse()? {
                    1_u32 => true,
                    2 => false,
                    other => bail!("--cores is 1 or 2, not {other}"),
                });
            }
            Long("exits") => ways_out = Some(args.value()?.parse()?),
            Long("tests") => rounds = Some(args.value()?.parse()?),
            Long("only") => only = Some(args.value()?.string()?),
            Long("jobs") | Short('j') => jobs = args.value()?.parse()?,
            other => return Err(other.unexpected().into()),
        }
    }
    if flavours.is_empty() {
        flavours = Flavour::ALL.to_vec();
    }
    let tally = Tally::default();
    let interpreters = prepare(&flavours, &tally);
    let only = only.as_deref();
    if let Some(count) = ways_out {
        exits::run(&interpreters, count, only, pinned, jobs, &tally)?;
    } else if let Some(rounds) = rounds {
        tests::run(&interpreters, rounds, only, jobs, &tally)?;
    } else {
        let time = Duration::try_from_secs_f64(minutes * 60.0)?;
        let seed = seed.unwrap_or_else(any);
        let plan = Plan {
            seed,
            repeat,
            // A quarter of the time goes to the memory.
            time: time.mul_f64(0.75),
            pinned,
            jobs,
        };
        programs::run(&interpreters, &plan, &tally);
        if repeat.is_none() {
            memory::run(&interpreters, seed, time.mul_f64(0.25), pinned, &tally);
        }
    }
    Ok(tally.close())
}

/// The short version that is part of `test --all`: under a minute of programs,
/// and a few runs of each way out.
pub(crate) fn short(flavours: &[Flavour], tally: &Tally) -> Result<()> {
    let interpreters = prepare(flavours, tally);
    let plan = Plan {
        seed: any(),
        repeat: None,
        time: Duration::from_secs(20),
        pinned: None,
        jobs: 2,
    };
    programs::run(&interpreters, &plan, tally);
    memory::run(
        &interpreters,
        plan.seed,
        Duration::from_secs(15),
        None,
        tally,
    );
    exits::run(&interpreters, 7, None, None, 2, tally)
}

fn prepare(flavours: &[Flavour], tally: &Tally) -> Vec<Interpreter> {
    let prepared = flavours
        .iter()
        .map(|flavour| test::prepare(*flavour, &[], tally));
    prepared.flatten().collect()
}

/// A seed that was hardly used before, short enough to be typed.
fn any() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(1, |since| since.as_secs() % 1_000_000 * 1000)
}
