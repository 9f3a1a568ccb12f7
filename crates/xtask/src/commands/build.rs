//! `build`: the module, or the stand-alone runner, for some flavours.

use std::process::ExitCode;

use anyhow::Result;
use lexopt::Arg::{Long, Short};
use lexopt::ValueExt;

use crate::build::{self, Profile};
use crate::flavour::{self, Flavour};
use crate::project;

pub(crate) fn main(mut args: lexopt::Parser) -> Result<ExitCode> {
    let mut flavours = Vec::new();
    let mut profile = Profile::Release;
    let mut runner = false;
    while let Some(arg) = args.next()? {
        match arg {
            Long("flavour") | Short('f') => flavour::add(&mut flavours, &args.value()?.string()?)?,
            Long("debug") => profile = Profile::Debug,
            Long("runner") => runner = true,
            other => return Err(other.unexpected().into()),
        }
    }
    if flavours.is_empty() {
        flavours = Flavour::ALL.to_vec();
    }
    for flavour in flavours {
        // 5.5 exists as the runner only, see `Flavour::has_stock_interpreter`.
        if flavour.has_stock_interpreter() {
            println!("{}", project::relative(&build::module(flavour, profile)?));
        }
        if runner || !flavour.has_stock_interpreter() {
            println!("{}", project::relative(&build::runner(flavour, profile)?));
        }
    }
    Ok(ExitCode::SUCCESS)
}
