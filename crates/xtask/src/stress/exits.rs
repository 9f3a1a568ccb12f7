//! Every way out of a program, while its lanes do all sorts of things.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use anyhow::{Result, bail};

use super::runner::{self, Job, Load};
use crate::interpreter::Interpreter;
use crate::process::{self, Ended};
use crate::tally::Tally;

const LIMIT: Duration = Duration::from_secs(60);

/// Runs each situation `count` times on each interpreter, with the ways out by
/// turns; every other round on one processor.
pub(crate) fn run(
    interpreters: &[Interpreter],
    count: u64,
    only: Option<&str>,
    pinned: Option<bool>,
    jobs: usize,
    tally: &Tally,
) -> Result<()> {
    let Some(first) = interpreters.first() else {
        return Ok(());
    };
    let paths = paths(first, only)?;
    let load = Load {
        jobs,
        until: None,
        limit: LIMIT,
    };
    println!(
        "== ways out: {} situations, {} ways, {count} runs of each situation",
        paths.situations.len(),
        paths.ways.len()
    );
    for interpreter in interpreters {
        let flavour = interpreter.flavour;
        let total = count * paths.situations.len() as u64;
        let tried = Mutex::new(BTreeMap::<&str, u64>::new());
        let runs = runner::run(&load, &format!("[{flavour}] ways out"), tally, |n| {
            let situations = paths.situations.len() as u64;
            let turn = n / situations;
            if n >= total {
                return None;
            }
            let situation = &paths.situations[(n % situations) as usize];
            let ways = paths.ways.len() as u64;
            let way = &paths.ways[(turn % ways) as usize];
            let pinned = pinned.unwrap_or((turn / ways) % 2 == 1);
            if let Ok(mut tried) = tried.lock() {
                *tried.entry(way).or_default() += 1;
            }
            Some(Job {
                interpreter,
                script: "exits.lua",
                args: vec![situation.clone(), way.clone()],
                pinned,
                again: format!(
                    "cargo xtask stress --flavour {flavour} --exits 1000 --only {situation}/{way}"
                ),
            })
        });
        let tried = tried.into_inner().unwrap_or_default();
        let tried: Vec<_> = tried.iter().map(|(way, n)| format!("{way} {n}")).collect();
        println!("[{flavour}] {runs}: {}", tried.join(", "));
    }
    Ok(())
}

struct Paths {
    situations: Vec<String>,
    ways: Vec<String>,
}

/// Asks the script what it has. `only` is a situation, a way, or
/// `SITUATION/WAY`.
fn paths(interpreter: &Interpreter, only: Option<&str>) -> Result<Paths> {
    let mut cmd = interpreter.command();
    cmd.arg("tests/stress/exits.lua");
    let outcome = process::run(&mut cmd, LIMIT, None)?;
    if outcome.ended != Ended::Exit(0) {
        bail!("{}", String::from_utf8_lossy(&outcome.stderr));
    }
    let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
    let list = |kind: &str| -> Vec<String> {
        let names = text.lines().filter_map(|line| line.split_once('\t'));
        let mut names: Vec<_> = names
            .filter(|(k, _)| *k == kind)
            .map(|(_, name)| name.to_owned())
            .collect();
        let wanted = |name: &String| {
            only.is_some_and(|only| only.split('/').any(|part| part == name.as_str()))
        };
        if names.iter().any(wanted) {
            names.retain(wanted);
        }
        names
    };
    let paths = Paths {
        situations: list("situation"),
        ways: list("way"),
    };
    if let Some(only) = only {
        for part in only.split('/') {
            let known = |names: &[String]| names.iter().any(|name| name == part);
            if !known(&paths.situations) && !known(&paths.ways) {
                bail!("no situation and no way out is called `{part}`");
            }
        }
    }
    Ok(paths)
}
