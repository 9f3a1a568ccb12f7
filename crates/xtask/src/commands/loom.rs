//! `loom`: the concurrency models of the core.

use std::process::ExitCode;

use anyhow::Result;

use crate::suite::rust;
use crate::tally::Tally;

pub(crate) fn main(mut args: lexopt::Parser) -> Result<ExitCode> {
    if let Some(other) = args.next()? {
        return Err(other.unexpected().into());
    }
    let tally = Tally::default();
    rust::loom(&tally)?;
    Ok(tally.close())
}
