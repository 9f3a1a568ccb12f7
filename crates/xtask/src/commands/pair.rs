//! `pair`: builds and runs the benchmark pair, latency and throughput.

use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use lexopt::Arg::{Long, Short};
use lexopt::ValueExt;

use crate::build::{self, Profile};
use crate::flavour::{self, Flavour};
use crate::interpreter::Interpreter;
use crate::process::{self, Ended};

/// Enough for a steady figure; both together take a few seconds at most.
const ROUND_TRIPS: u64 = 20_000;
const MESSAGES: u64 = 200_000;

pub(crate) fn main(mut args: lexopt::Parser) -> Result<ExitCode> {
    let mut flavours = Vec::new();
    let mut size = 512_u64;
    let mut count = None;
    while let Some(arg) = args.next()? {
        match arg {
            Long("flavour") | Short('f') => flavour::add(&mut flavours, &args.value()?.string()?)?,
            Long("size") => size = args.value()?.parse()?,
            Long("count") => count = Some(args.value()?.parse()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let interpreters = find(&flavours)?;
    let mut rows = Vec::new();
    for interpreter in &interpreters {
        let name = interpreter.name();
        println!("{name}: latency, ping-pong between two lanes");
        let lat = measure(
            interpreter,
            "lat.lua",
            size,
            count.unwrap_or(ROUND_TRIPS),
            "one_way_us",
        )?;
        println!("{name}: throughput, one way, queue limit 100");
        let thr = measure(
            interpreter,
            "thr.lua",
            size,
            count.unwrap_or(MESSAGES),
            "msgs_per_s",
        )?;
        rows.push((name, lat, thr));
    }
    println!("\nmessages of {size} bytes");
    println!(
        "{:<12} {:>18} {:>24}",
        "interpreter", "latency [us/way]", "throughput [msgs/s]"
    );
    for (name, lat, thr) in rows {
        println!("{name:<12} {lat:>18} {thr:>24}");
    }
    Ok(ExitCode::SUCCESS)
}

/// The stock interpreters of the flavours asked for (or of all), their module
/// built; if there is none, the stand-alone runner.
fn find(asked: &[Flavour]) -> Result<Vec<Interpreter>> {
    let candidates = if asked.is_empty() {
        &Flavour::ALL[..]
    } else {
        asked
    };
    let mut found = Vec::new();
    for &flavour in candidates {
        if let Some(interpreter) = Interpreter::stock(flavour) {
            println!(
                "building lanes{} for {}",
                build::MODULE_SUFFIX,
                interpreter.name()
            );
            build::module(flavour, Profile::Release)?;
            found.push(interpreter);
        } else if asked.contains(&flavour) {
            found.push(stand_alone(flavour)?);
        }
    }
    if found.is_empty() {
        println!("no Lua interpreter in PATH");
        found.push(stand_alone(Flavour::Lua54)?);
    }
    Ok(found)
}

fn stand_alone(flavour: Flavour) -> Result<Interpreter> {
    println!("building the stand-alone runner, Lua {flavour}");
    build::runner(flavour, Profile::Release)?;
    Ok(Interpreter::runner(flavour))
}

/// Runs one of the scripts; gives the field of its result line.
fn measure(
    interpreter: &Interpreter,
    script: &str,
    size: u64,
    count: u64,
    field: &str,
) -> Result<String> {
    let mut cmd: Command = interpreter.command();
    cmd.arg(format!("benches/lua/{script}"))
        .args([size.to_string(), count.to_string()]);
    // A limit far above any honest result, so that a hang ends.
    let limit = Duration::from_secs(60)
        + Duration::from_micros(200) * u32::try_from(count).unwrap_or(u32::MAX);
    let outcome = process::run(&mut cmd, limit, None)?;
    let stdout = String::from_utf8_lossy(&outcome.stdout);
    let stderr = String::from_utf8_lossy(&outcome.stderr);
    if outcome.ended != Ended::Exit(0) || !stderr.is_empty() {
        bail!(
            "{} {script}: {:?}\n{stdout}{stderr}",
            interpreter.name(),
            outcome.ended
        );
    }
    let line = stdout.lines().last().unwrap_or_default();
    println!("  {line}");
    let value = line
        .split_whitespace()
        .filter_map(|word| word.split_once('='))
        .find(|(key, _)| *key == field);
    Ok(value
        .with_context(|| format!("{script} printed no {field}: {line}"))?
        .1
        .to_owned())
}
