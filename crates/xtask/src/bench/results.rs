//! The figures, and what is made of them.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::machine::Machine;
use super::rows::{Row, Unit};
use crate::project;

/// Everything that was measured.
pub(crate) struct Results {
    pub(crate) machine: Machine,
    pub(crate) lines: Vec<Line>,
}

/// One contestant in one row.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Line {
    pub(crate) row: String,
    pub(crate) unit: String,
    pub(crate) place: String,
    /// None for those that need no Lua.
    pub(crate) flavour: Option<String>,
    pub(crate) interpreter: String,
    pub(crate) name: String,
    /// How much work one run did.
    pub(crate) count: u64,
    pub(crate) min: f64,
    pub(crate) median: f64,
    pub(crate) max: f64,
    /// Every run, in the order in which they were made.
    pub(crate) runs: Vec<f64>,
    #[serde(flatten)]
    pub(crate) machine: Machine,
}

/// The file's form.
#[derive(Serialize, Deserialize)]
struct Stored {
    lines: Vec<Line>,
}

/// Where the figures are kept.
pub(crate) const FILE: &str = "benches/results/figures.json";

impl Results {
    pub(crate) fn new(machine: Machine) -> Results {
        Results {
            machine,
            lines: Vec::new(),
        }
    }

    /// The line of a contestant in the same row: on the same flavour, or one
    /// that has none.
    pub(crate) fn beside(&self, ours: &Line, name: &str) -> Option<&Line> {
        self.lines.iter().find(|line| {
            line.row == ours.row
                && line.name == name
                && (line.flavour.is_none() || line.flavour == ours.flavour)
        })
    }

    /// Puts the rows into the file, each in the place of what was there of it,
    /// and takes over the others. Rows that no longer exist leave.
    pub(crate) fn keep(&mut self, rows: &[Row]) -> Result<()> {
        let path = project::root().join(FILE);
        let old = match std::fs::read_to_string(&path) {
            Ok(text) => {
                serde_json::from_str::<Stored>(&text)
                    .with_context(|| format!("cannot read {FILE}"))?
                    .lines
            }
            Err(_) => Vec::new(),
        };
        self.lines = merge(std::mem::take(&mut self.lines), old, rows);
        let stored = Stored {
            lines: self.lines.clone(),
        };
        let text = serde_json::to_string_pretty(&stored)? + "\n";
        std::fs::create_dir_all(path.parent().context("no directory")?)?;
        std::fs::write(&path, text).with_context(|| format!("cannot write {FILE}"))
    }
}

/// In the order of `rows`.
fn merge(new: Vec<Line>, old: Vec<Line>, rows: &[Row]) -> Vec<Line> {
    let measured: BTreeSet<_> = new.iter().map(|line| line.row.clone()).collect();
    let kept = old.into_iter().filter(|line| !measured.contains(&line.row));
    let mut all: Vec<_> = new.into_iter().chain(kept).collect();
    let place = |line: &Line| rows.iter().position(|row| row.id == line.row);
    all.retain(|line| place(line).is_some());
    all.sort_by_key(place);
    all
}

/// Minimum, median and maximum. Of an even number of runs the median is the
/// mean of the middle two.
pub(crate) fn spread(runs: &[f64]) -> (f64, f64, f64) {
    let mut sorted = runs.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (Some(&min), Some(&max)) = (sorted.first(), sorted.last()) else {
        return (f64::NAN, f64::NAN, f64::NAN);
    };
    let middle = sorted.len() / 2;
    let median = if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        f64::midpoint(sorted[middle - 1], sorted[middle])
    };
    (min, median, max)
}

/// How many times better `ours` is than `theirs`.
pub(crate) fn advantage(unit: Unit, ours: f64, theirs: f64) -> f64 {
    if unit.more_is_better() {
        ours / theirs
    } else {
        theirs / ours
    }
}

impl Line {
    pub(crate) fn flavour(&self) -> &str {
        self.flavour.as_deref().unwrap_or("")
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::bench::rows;

    impl Results {
        pub(crate) fn of(lines: Vec<Line>) -> Results {
            let machine = lines[0].machine.clone();
            Results { machine, lines }
        }
    }

    pub(crate) fn line(
        row: &str,
        unit: &str,
        flavour: Option<&str>,
        name: &str,
        value: f64,
    ) -> Line {
        Line {
            row: row.to_owned(),
            unit: unit.to_owned(),
            place: "free".to_owned(),
            flavour: flavour.map(str::to_owned),
            interpreter: "Lua".to_owned(),
            name: name.to_owned(),
            count: 1,
            min: value,
            median: value,
            max: value,
            runs: vec![value],
            machine: Machine {
                processor: "a".to_owned(),
                processors: 2,
                system: "b".to_owned(),
                commit: "c".to_owned(),
            },
        }
    }

    #[test]
    fn a_row_replaces_what_was_there_of_it() {
        let old = vec![
            line("latency/512/two", "µs", None, "std", 1.0),
            line("latency/512/one", "µs", None, "std", 2.0),
            line("no such row", "µs", None, "std", 3.0),
        ];
        let new = vec![line("latency/512/one", "µs", None, "flume", 4.0)];
        let merged = merge(new, old, &rows::all());
        let names: Vec<_> = merged.iter().map(|l| (&l.row[..], &l.name[..])).collect();
        assert_eq!(
            names,
            [("latency/512/two", "std"), ("latency/512/one", "flume")]
        );
    }

    #[test]
    fn spreads() {
        assert_eq!(spread(&[3.0, 1.0, 2.0]), (1.0, 2.0, 3.0));
        assert_eq!(spread(&[4.0, 1.0]), (1.0, 2.5, 4.0));
        assert!(spread(&[]).1.is_nan());
    }

    #[test]
    fn advantages() {
        assert!((advantage(Unit::PerSecond, 10.0, 5.0) - 2.0).abs() < 1e-9);
        assert!((advantage(Unit::Microseconds, 10.0, 5.0) - 0.5).abs() < 1e-9);
    }
}
