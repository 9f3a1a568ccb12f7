//! `package`: whether what is given away works where it comes to.

use std::process::ExitCode;

use anyhow::Result;
use lexopt::Arg::{Long, Short};
use lexopt::ValueExt;

use crate::flavour::{self, Flavour};
use crate::suite::package;
use crate::tally::Tally;

pub(crate) fn main(mut args: lexopt::Parser) -> Result<ExitCode> {
    let mut flavours = Vec::new();
    while let Some(arg) = args.next()? {
        match arg {
            Long("flavour") | Short('f') => flavour::add(&mut flavours, &args.value()?.string()?)?,
            other => return Err(other.unexpected().into()),
        }
    }
    if flavours.is_empty() {
        flavours = Flavour::ALL.to_vec();
    }
    let tally = Tally::new(true);
    package::check(&flavours, &tally);
    Ok(tally.close())
}
