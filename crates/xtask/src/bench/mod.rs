//! `bench`: every workload, on every interpreter, beside its rivals.
//!
//! [`rows`] says what is measured, [`contestant`] who takes part and how it is
//! started, [`peers`] builds those that need it, [`run`] measures in turn,
//! [`results`] keeps the figures, [`report`] and [`plot`] show them, and
//! [`targets`] holds them against what is wanted.

mod contestant;
mod machine;
mod options;
mod peers;
mod report;
mod results;
mod rows;
mod run;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};

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
    println!("\n{:.0} s", begun.elapsed().as_secs_f64());
    if failures > 0 {
        println!("{failures} runs failed");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}
