//! `bench`: every workload, on every interpreter, beside its rivals.
//!
//! [`rows`] says what is measured, [`contestant`] who takes part and how it is
//! started, [`peers`] builds those that need it, [`run`] measures in turn,
//! [`results`] keeps the figures, [`report`], [`document`] and [`plot`] show
//! them, and [`targets`] holds them against what is wanted.

mod contestant;
mod document;
mod machine;
mod options;
mod peers;
mod plot;
mod report;
mod results;
mod rows;
mod run;
mod targets;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::interpreter::Interpreter;
use crate::tally::Tally;
use contestant::Field;
use options::Options;
use results::Results;

pub(crate) fn main(args: lexopt::Parser) -> Result<ExitCode> {
    let options = Options::parse(args)?;
    let begun = Instant::now();
    let rows: Vec<_> = rows::all()
        .into_iter()
        .filter(|row| options.wants(&row.id))
        .collect();
    if rows.is_empty() {
        bail!("no row has this in its name; `cargo xtask bench --list` shows them");
    }
    if options.list {
        for row in &rows {
            println!("{:<28} {}", row.id, row.what);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let machine = machine::Machine::here()?;
    println!("{machine}");
    let field = Field::assemble(&options)?;
    let mut results = Results::new(machine);
    let failures = run::all(&rows, &field, &options, &mut results)?;
    report::targets(&results);
    if options.writes() {
        let all = rows::all();
        results.keep(&all)?;
        plot::all(&results)?;
        document::update(&results, &all)?;
        println!(
            "\n{}, docs/benchmarks.md and docs/plots are written",
            results::FILE
        );
    }
    println!("\n{:.0} s", begun.elapsed().as_secs_f64());
    if failures > 0 {
        println!("{failures} runs failed");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs every script once on one interpreter, with next to no work, so that
/// they do not rot. rlanes only, and no figure is kept.
pub(crate) fn smoke(interpreter: &Interpreter, tally: &Tally) {
    let field = Field::alone(interpreter);
    for row in rows::all() {
        for contestant in field.of(&row) {
            let name = format!("[{}] bench {}", interpreter.flavour, row.id);
            match run::smoke(&row, &contestant) {
                Ok(()) => tally.pass(name, ""),
                Err(error) => tally.fail(name, "", &format!("{error:#}")),
            }
        }
    }
    let name = format!("[{}] bench modes", interpreter.flavour);
    match peers::threads(interpreter.flavour) {
        Ok(false) => tally.skip(name, "no headers for the C module"),
        Ok(true) => match run::modes(interpreter) {
            Ok(()) => tally.pass(name, ""),
            Err(error) => tally.fail(name, "", &format!("{error:#}")),
        },
        Err(error) => tally.fail(name, "", &format!("{error:#}")),
    }
}
