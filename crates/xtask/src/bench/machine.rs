//! On what the figures were measured.

use std::process::Command;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::project;

/// The machine, and the state of the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) processor: String,
    pub(crate) processors: usize,
    pub(crate) system: String,
    pub(crate) commit: String,
}

impl Machine {
    pub(crate) fn here() -> Result<Machine> {
        let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let processor = info
            .lines()
            .find_map(|line| line.strip_prefix("model name"))
            .map_or(std::env::consts::ARCH, |rest| {
                rest.trim_start_matches([' ', '\t', ':'])
            });
        Ok(Machine {
            processor: processor.trim().to_owned(),
            processors: std::thread::available_parallelism()?.get(),
            system: output("uname", &["-sr"]).unwrap_or_else(|| std::env::consts::OS.to_owned()),
            commit: commit(),
        })
    }
}

impl std::fmt::Display for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}, {} processors, {}, commit {}",
            self.processor, self.processors, self.system, self.commit
        )
    }
}

/// The commit, with a plus sign if the sources differ from it.
fn commit() -> String {
    let Some(commit) = output("git", &["rev-parse", "--short", "HEAD"]) else {
        return "unknown".to_owned();
    };
    let sources = ["status", "--porcelain", "--", "crates", "lua", "Cargo.toml"];
    match output("git", &sources) {
        Some(changes) if changes.is_empty() => commit,
        _ => commit + "+",
    }
}

fn output(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program)
        .args(args)
        .current_dir(project::root())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}
