//! The figures, and what is made of them.

use serde::{Deserialize, Serialize};

use super::machine::Machine;
use super::rows::{Row, Unit};

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

impl Results {
    pub(crate) fn new(machine: Machine) -> Results {
        Results {
            machine,
            lines: Vec::new(),
        }
    }
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
    pub(crate) fn unit_of(row: &Row) -> String {
        row.unit.name().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
