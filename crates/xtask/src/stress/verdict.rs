//! Judges the end of a program by what the program has said that it must be.
//!
//! On its standard output it prints, as lines whose parts are separated by
//! tabs:
//!
//! | line          | meaning                                             |
//! |---------------|-----------------------------------------------------|
//! | `status N`    | the exit status                                     |
//! | `stderr REGEX`| what standard error must match; nothing if empty    |
//! | `memory TEXT` | a figure to be shown                                |
//! | `leaving`     | the last line: everything up to its way out went well |

use anyhow::Context;
use regex::bytes::Regex;

use crate::process::{Ended, Outcome};

/// What is wrong with the outcome, if anything.
pub(crate) fn wrong(outcome: &Outcome) -> Option<String> {
    match outcome.ended {
        Ended::Hang => {
            return Some(format!(
                "hang: killed after {:.0} s",
                outcome.took.as_secs_f64()
            ));
        }
        Ended::Signal(signal) => return Some(format!("killed by signal {signal}")),
        Ended::Exit(_) => {}
    }
    let stdout = String::from_utf8_lossy(&outcome.stdout);
    let (status, stderr) = match promised(&stdout) {
        Ok(promised) => promised,
        Err(error) => return Some(format!("{error:#}")),
    };
    if stdout.lines().last() != Some("leaving") {
        return Some("it did not come to its way out".to_owned());
    }
    if outcome.ended != Ended::Exit(status) {
        return Some(format!("{:?} instead of status {status}", outcome.ended));
    }
    match stderr {
        None if !outcome.stderr.is_empty() => Some("standard error is not empty".to_owned()),
        Some(regex) if !regex.is_match(&outcome.stderr) => {
            Some(format!("standard error does not match `{regex}`"))
        }
        _ => None,
    }
}

/// A figure that the program has measured.
pub(crate) fn memory(outcome: &Outcome) -> Option<String> {
    let stdout = String::from_utf8_lossy(&outcome.stdout);
    field(&stdout, "memory").map(str::to_owned)
}

fn promised(stdout: &str) -> anyhow::Result<(i32, Option<Regex>)> {
    let status = field(stdout, "status").context("it has not said how it ends")?;
    let status = status.parse().context("a status that is no number")?;
    let stderr = field(stdout, "stderr").context("it has not said what standard error is")?;
    let stderr = (!stderr.is_empty()).then(|| Regex::new(stderr));
    Ok((status, stderr.transpose()?))
}

fn field<'a>(stdout: &'a str, name: &str) -> Option<&'a str> {
    stdout
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn judge(ended: Ended, stdout: &str, stderr: &str) -> Option<String> {
        wrong(&Outcome {
            ended,
            stdout: stdout.into(),
            stderr: stderr.into(),
            took: Duration::ZERO,
        })
    }

    #[test]
    fn what_passes() {
        let quiet = "status\t3\nstderr\t\nleaving\n";
        assert_eq!(judge(Ended::Exit(3), quiet, ""), None);
        let loud = "status\t1\nstderr\t\\Alua: boom\\n\\z\nleaving\n";
        assert_eq!(judge(Ended::Exit(1), loud, "lua: boom\n"), None);
    }

    #[test]
    fn what_fails() {
        let quiet = "status\t3\nstderr\t\nleaving\n";
        let fails = |ended, stdout, stderr| judge(ended, stdout, stderr).unwrap();
        assert!(fails(Ended::Hang, quiet, "").contains("hang"));
        assert!(fails(Ended::Signal(11), quiet, "").contains("signal 11"));
        assert!(fails(Ended::Exit(0), quiet, "").contains("instead of status 3"));
        assert!(fails(Ended::Exit(3), quiet, "noise\n").contains("not empty"));
        assert!(fails(Ended::Exit(3), "", "").contains("has not said"));
        assert!(fails(Ended::Exit(3), "status\t3\nstderr\t\n", "").contains("way out"));
        let after = "status\t3\nstderr\t\nleaving\nmore\n";
        assert!(fails(Ended::Exit(3), after, "").contains("way out"));
        let loud = "status\t1\nstderr\t\\Alua: boom\\n\\z\nleaving\n";
        assert!(fails(Ended::Exit(1), loud, "lua: boom\nnoise\n").contains("does not match"));
    }
}
