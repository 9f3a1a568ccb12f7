//! `valgrind`: the tests marked for it, under one of valgrind's tools.
//!
//! What a tool reports and is no fault stands in `tests/valgrind/TOOL.supp`,
//! each entry with its reason.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Result, bail};
use lexopt::Arg::{Long, Short};
use lexopt::ValueExt;

use super::test;
use crate::flavour::{self, Flavour};
use crate::project;
use crate::suite::header::Valgrind;
use crate::suite::script::{self, Options};
use crate::tally::Tally;

/// The oldest and the newest stock interpreter. LuaJIT's own assembler code and
/// allocator are beyond valgrind as distributions build them.
const DEFAULT: [Flavour; 2] = [Flavour::Lua51, Flavour::Lua54];

/// The tools: memory, and races in two ways.
const TOOLS: [&str; 3] = ["memcheck", "helgrind", "drd"];

pub(crate) fn main(mut args: lexopt::Parser) -> Result<ExitCode> {
    let mut tool = TOOLS[0];
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
            Long("tool") => {
                let name = args.value()?.string()?;
                match TOOLS.into_iter().find(|known| *known == name) {
                    Some(known) => tool = known,
                    None => bail!("unknown tool `{name}`: one of {}", TOOLS.join(", ")),
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
    options.under = ["valgrind", "-q", "--error-exitcode=99", "--fair-sched=try"]
        .map(OsString::from)
        .to_vec();
    options.under.push(format!("--tool={tool}").into());
    if tool == "memcheck" {
        options.under.push("--leak-check=no".into());
        options.leaks = [
            "--leak-check=full",
            "--show-leak-kinds=definite",
            "--errors-for-leak-kinds=definite",
        ]
        .map(OsString::from)
        .to_vec();
    }
    if tool != "memcheck" {
        // Far enough down to see on what thread it is.
        options.under.push("--num-callers=60".into());
    }
    let suppressions = project::root().join(format!("tests/valgrind/{tool}.supp"));
    if suppressions.exists() {
        let mut option = OsString::from("--suppressions=");
        option.push(suppressions);
        options.under.push(option);
    }
    let mut scripts = script::collect(only.as_deref())?;
    scripts.retain(|script| {
        let header = script.header.as_ref();
        header.is_ok_and(|header| header.valgrind != Valgrind::No)
    });
    let tally = Tally::new(true);
    for flavour in flavours {
        if let Some(interpreter) = test::prepare(flavour, &scripts, &tally) {
            println!(
                "== {tool} {}: {} scripts",
                interpreter.name(),
                scripts.len()
            );
            script::run_all(&interpreter, &scripts, &options, &tally);
        }
    }
    Ok(tally.close())
}
