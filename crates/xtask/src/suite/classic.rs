//! The classic benchmark scripts of 2011, unmodified, in `../shared/classic`:
//! `lua -l lanes.v2 lanes_lat.lua`, with nothing set but `LUA_CPATH`.

use std::time::Duration;

use anyhow::Result;

use super::needs::Facts;
use crate::interpreter::Interpreter;
use crate::process::{self, Ended};
use crate::project;
use crate::tally::Tally;

/// Script, count of messages, and what its result line starts with.
const PAIR: [(&str, &str, &str); 2] = [
    ("lanes_lat.lua", "1000", "mean latency: "),
    ("lanes_thr.lua", "10000", "mean throughput: "),
];

pub(crate) fn run(interpreter: &Interpreter, tally: &Tally) -> Result<()> {
    let Some(shared) = project::shared() else {
        return Ok(());
    };
    let socket = Facts::of(interpreter).socket;
    for (script, count, result) in PAIR {
        let name = format!("[{}] classic {script}", interpreter.flavour);
        if !socket {
            tally.skip(name, "needs socket (luasocket), which the script uses");
            continue;
        }
        let mut cmd = interpreter.command();
        cmd.args(["-l", "lanes.v2"])
            .arg(shared.join("classic").join(script))
            .args(["512", count]);
        let outcome = process::run(&mut cmd, Duration::from_secs(60), None)?;
        let stdout = String::from_utf8_lossy(&outcome.stdout).into_owned();
        let stderr = String::from_utf8_lossy(&outcome.stderr).into_owned();
        let output = format!("{stdout}{stderr}");
        let line = stdout.lines().find(|line| line.starts_with(result));
        match (outcome.ended, line) {
            (Ended::Exit(0), Some(line)) if stderr.is_empty() => tally.pass(name, line),
            (Ended::Exit(0), Some(_)) => tally.fail(name, "standard error is not empty", &output),
            (Ended::Exit(0), None) => tally.fail(name, "no result line", &output),
            (ended, _) => tally.fail(name, format!("{ended:?}"), &output),
        }
    }
    Ok(())
}
