//! The field cases of `../shared/corpus`, those that `tests/corpus.txt` lists.
//!
//! The list has one case id per line; `#` starts a comment.

use std::collections::BTreeSet;

use anyhow::{Context, Result};

use crate::interpreter::Interpreter;
use crate::project;
use crate::tally::Tally;

/// The ids that are meant to pass.
pub(crate) fn listed() -> Result<Vec<String>> {
    let path = project::root().join("tests/corpus.txt");
    let text = std::fs::read_to_string(path).context("cannot read tests/corpus.txt")?;
    let ids = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim());
    Ok(ids.filter(|id| !id.is_empty()).map(str::to_owned).collect())
}

/// Runs the listed cases on one interpreter.
pub(crate) fn run(
    interpreter: &Interpreter,
    ids: &[String],
    jobs: usize,
    tally: &Tally,
) -> Result<()> {
    let Some(shared) = project::shared() else {
        return Ok(());
    };
    let mut cmd = std::process::Command::new("python3");
    interpreter.set_env(&mut cmd);
    cmd.arg(shared.join("corpus/run"))
        .arg("--lua")
        .arg(&interpreter.program);
    cmd.args(["--only", &ids.join(","), "--jobs", &jobs.to_string(), "-v"]);
    let output = cmd.output().context("cannot run the corpus (python3)")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lost: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
    for line in text.lines() {
        let Some((id, rest)) = line.split_once(": ") else {
            continue;
        };
        let name = format!("[{}] corpus {id}", interpreter.flavour);
        lost.remove(id);
        match rest {
            _ if rest.starts_with("ok, ") => tally.pass(name, rest),
            _ if rest.starts_with("skipped, ") => {
                tally.skip(name, rest.trim_start_matches("skipped, "))
            }
            why => tally.fail(name, why, ""),
        }
    }
    // An id that names no case is matched by nothing and would pass unnoticed.
    for id in lost {
        tally.fail(
            format!("[{}] corpus {id}", interpreter.flavour),
            format!("was not run ({})", output.status),
            &String::from_utf8_lossy(&output.stderr),
        );
    }
    Ok(())
}
