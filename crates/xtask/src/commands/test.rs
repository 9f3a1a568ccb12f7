//! `test`: the Lua tests on every flavour; with `--all`, everything CI runs.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use lexopt::Arg::{Long, Short};
use lexopt::ValueExt;

use super::{setup, stress};
use crate::bench;
use crate::build::{self, Profile};
use crate::flavour::{self, Flavour};
use crate::interpreter::Interpreter;
use crate::native;
use crate::project;
use crate::suite::script::{self, Options, Script};
use crate::suite::{classic, corpus, docs, links, map, package, rust};
use crate::tally::Tally;

pub(crate) fn main(mut args: lexopt::Parser) -> Result<ExitCode> {
    let mut flavours = Vec::new();
    let mut all = false;
    let mut only = None;
    let mut verbose = false;
    let mut options = Options::default();
    while let Some(arg) = args.next()? {
        match arg {
            Long("flavour") | Short('f') => flavour::add(&mut flavours, &args.value()?.string()?)?,
            Long("all") => all = true,
            Long("only") => only = Some(args.value()?.string()?),
            Long("jobs") | Short('j') => options.jobs = args.value()?.parse()?,
            Long("verbose") | Short('v') => verbose = true,
            other => return Err(other.unexpected().into()),
        }
    }
    if flavours.is_empty() {
        flavours = Flavour::ALL.to_vec();
    }
    let begun = Instant::now();
    let tally = Tally::new(verbose);
    if all {
        match setup::run() {
            Ok(()) => tally.pass("setup", ""),
            error => settle(&tally, "setup", error),
        }
        rust::lint(&tally);
        settle(&tally, "cargo test", rust::tests(&tally));
        settle(&tally, "loom", rust::loom(&tally));
    }
    if only.is_none() {
        settle(&tally, "links", links::check(&tally));
        settle(&tally, "code map", map::check(&tally));
    }
    settle(
        &tally,
        "lua",
        lua(&flavours, only.as_deref(), &options, &tally),
    );
    if all {
        settle(&tally, "stress", stress::short(&flavours, &tally));
        package::check(&flavours, &tally);
    }
    println!("\n{:.0} s", begun.elapsed().as_secs_f64());
    Ok(tally.close())
}

/// A part that could not be run to its end has failed; the others still run.
fn settle(tally: &Tally, name: &str, result: Result<()>) {
    if let Err(error) = result {
        tally.fail(name, format!("{error:#}"), "");
    }
}

/// Builds each flavour and runs all that is written in Lua on it.
fn lua(flavours: &[Flavour], only: Option<&str>, options: &Options, tally: &Tally) -> Result<()> {
    let mut scripts = script::collect(only)?;
    scripts.extend(docs::collect(only)?);
    let beside = project::shared().is_some() && only.is_none();
    let ids = if beside {
        corpus::listed()?
    } else {
        Vec::new()
    };
    if only.is_none() && !beside {
        println!("no ../shared directory: the classic scripts and the field cases are not run");
    } else if beside && ids.is_empty() {
        println!("tests/corpus.txt lists no field case");
    }
    for &flavour in flavours {
        let Some(interpreter) = prepare(flavour, &scripts, tally) else {
            continue;
        };
        println!("== {}: {} scripts", interpreter.name(), scripts.len());
        script::run_all(&interpreter, &scripts, options, tally);
        if only.is_none_or(|text| text == "bench") {
            bench::smoke(&interpreter, tally);
        }
        if beside {
            settle(tally, "classic", classic::run(&interpreter, tally));
        }
        if !ids.is_empty() {
            settle(
                tally,
                "corpus",
                corpus::run(&interpreter, &ids, options.jobs, tally),
            );
        }
    }
    Ok(())
}

/// Builds for a flavour what these scripts need, and finds its interpreter;
/// says why when it cannot.
pub(crate) fn prepare(flavour: Flavour, scripts: &[Script], tally: &Tally) -> Option<Interpreter> {
    let name = format!("[{flavour}]");
    let (built, interpreter) = if flavour.has_stock_interpreter() {
        let Some(interpreter) = Interpreter::stock(flavour) else {
            tally.skip(
                name,
                format!(
                    "no {} in PATH; `cargo xtask setup` installs it",
                    flavour.programs()[0]
                ),
            );
            return None;
        };
        println!("== build {flavour}");
        let faults = scripts.iter().any(Script::needs_faults);
        let built = build::module(flavour, Profile::Release).and_then(|module| {
            if faults {
                build::faults(flavour, Profile::Release)?;
            }
            Ok(module)
        });
        (built, interpreter)
    } else {
        println!("== build {flavour} (stand-alone runner)");
        (
            build::runner(flavour, Profile::Release),
            Interpreter::runner(flavour),
        )
    };
    match built.and_then(|_| native::build(flavour)) {
        Ok(()) => Some(interpreter),
        Err(error) => {
            tally.fail(name, format!("{error:#}"), "");
            None
        }
    }
}
