//! `valgrind`: the tests marked `valgrind: yes`, under valgrind.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Result, bail};
use lexopt::Arg::{Long, Short};
use lexopt::ValueExt;

use super::test;
use crate::flavour::{self, Flavour};
use crate::project;
use crate::suite::script::{self, Options};
use crate::tally::Tally;

/// The oldest and the newest stock interpreter. LuaJIT's own assembler code and
/// allocator are beyond valgrind as distributions build them.
const DEFAULT: [Flavour; 2] = [Flavour::Lua51, Flavour::Lua54];

pub(crate) fn main(mut args: lexopt::Parser) -> Result<ExitCode> {
    let mut flavours = Vec::new();
    let mut only = None;
    let mut options = Options {
        slow: 20,
        ..Options::default()
    };
    while let Some(arg) = args.next()? {
        match arg {
            Long("flavour") | Short('f') => {
                for name in args.values()? {
                    flavour::add(&mut flavours, &name.string()?)?;
                }
            }
            Long("only") => only = Some(args.value()?.string()?),
            Long("jobs") | Short('j') => options.jobs = args.value()?.parse()?,
            other => return Err(other.unexpected().into()),
        }
    }
    if flavours.is_empty() {
        flavours = DEFAULT.to_vec();
    }
    if project::which("valgrind").is_none() {
        bail!("valgrind is not in PATH; `cargo xtask setup` installs it");
    }
    options.under = ["valgrind", "--error-exitcode=99", "-q", "--leak-check=no"]
        .map(OsString::from)
        .to_vec();
    let suppressions = project::root().join("tests/valgrind.supp");
    if suppressions.exists() {
        let mut option = OsString::from("--suppressions=");
        option.push(suppressions);
        options.under.push(option);
    }
    let mut scripts = script::collect(only.as_deref())?;
    scripts.retain(|script| script.header.as_ref().is_ok_and(|header| header.valgrind));
    let tally = Tally::new(true);
    for flavour in flavours {
        if let Some(interpreter) = test::prepare(flavour, &tally) {
            println!(
                "== valgrind {}: {} scripts",
                interpreter.name(),
                scripts.len()
            );
            script::run_all(&interpreter, &scripts, &options, &tally);
        }
    }
    Ok(tally.close())
}
