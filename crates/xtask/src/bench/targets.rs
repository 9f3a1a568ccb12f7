//! What is wanted, and whether it is reached.

use super::results::{Line, Results, advantage};
use super::rows::Unit;

/// One thing that is wanted of a row.
struct Target {
    row: &'static str,
    wants: Wants,
    on: On,
}

/// Ratios say how many times better rlanes is.
enum Wants {
    /// At least so many times as good as the best of these.
    Times(f64, &'static [&'static str]),
    /// At least so many times as good as rlanes in another row.
    TimesRow(f64, &'static str),
    /// At most so much more than this contestant.
    Above(f64, &'static str),
    /// At most this.
    AtMost(f64),
}

/// On which flavours.
#[derive(Clone, Copy)]
enum On {
    All,
    /// All but LuaJIT.
    Puc,
    Jit,
}

const ZEROMQ: &[&str] = &["zmq-c", "zmq-ffi"];
const CHANNELS: &[&str] = &["crossbeam", "kanal", "flume", "std"];
/// The names that `--with-module` gives to these.
const LANES4: &[&str] = &["lanes4"];
const LANES3: &[&str] = &["lanes3"];
const EFFIL: &[&str] = &["effil"];

const fn times(row: &'static str, factor: f64, rivals: &'static [&'static str], on: On) -> Target {
    let wants = Wants::Times(factor, rivals);
    Target { row, wants, on }
}

const TARGETS: &[Target] = &[
    times("latency/512/two", 25.0, LANES4, On::All),
    times("latency/512/two", 25.0, ZEROMQ, On::All),
    times("latency/512/two", 0.5, CHANNELS, On::All),
    times("latency/512/one", 2.0, LANES4, On::All),
    times("latency/512/one", 1.0, ZEROMQ, On::All),
    times("throughput/512/100", 10.0, LANES4, On::All),
    times("throughput/512/100", 2.0, &["zmq-c"], On::Puc),
    times("throughput/512/100", 1.0, &["zmq-ffi"], On::Jit),
    times("throughput/512/100", 1.0, &["crossbeam"], On::All),
    times("throughput/512/1000", 1.5, &["zmq-c"], On::Puc),
    times("throughput/512/1000", 1.0, &["zmq-ffi"], On::Jit),
    times("throughput/30/1000", 1.0, &["zmq-c"], On::Puc),
    times("throughput/30/1000", 0.8, &["zmq-ffi"], On::Jit),
    times("fanin/4", 10.0, LANES4, On::All),
    times("fanin/4", 0.7, ZEROMQ, On::All),
    times("throughput/table/100", 4.0, LANES4, On::All),
    times("throughput/table/100", 6.0, EFFIL, On::All),
    Target {
        row: "herd/200",
        wants: Wants::TimesRow(1.0 / 1.1, "herd/0"),
        on: On::All,
    },
    times("create/all", 4.0, LANES4, On::All),
    times("create/none", 3.0, LANES3, On::All),
    Target {
        row: "memory/none",
        wants: Wants::Above(24.0, "state"),
        on: On::All,
    },
    Target {
        row: "memory/all",
        wants: Wants::Above(24.0, "state"),
        on: On::All,
    },
    // A hundredth of a thousandth of a processor for each lane.
    Target {
        row: "idle/100",
        wants: Wants::AtMost(1.0),
        on: On::All,
    },
    Target {
        row: "crowd/messages/16",
        wants: Wants::TimesRow(0.8, "crowd/messages/2"),
        on: On::All,
    },
    Target {
        row: "crowd/work/16",
        wants: Wants::TimesRow(0.8, "crowd/work/2"),
        on: On::All,
    },
];

/// A line of the table of targets.
pub(crate) struct Verdict {
    pub(crate) row: &'static str,
    pub(crate) flavour: String,
    pub(crate) wanted: String,
    pub(crate) reached: String,
    /// None if it has not been measured.
    pub(crate) pass: Option<bool>,
}

impl Verdict {
    pub(crate) fn word(&self) -> &'static str {
        match self.pass {
            Some(true) => "pass",
            Some(false) => "MISS",
            None => "–",
        }
    }
}

/// All targets whose rows are among the results.
pub(crate) fn verdicts(results: &Results) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for target in TARGETS {
        let ours = results.lines.iter().filter(|line| {
            line.row == target.row && line.name == "rlanes" && target.on.has(line.flavour())
        });
        verdicts.extend(ours.map(|ours| target.verdict(ours, results)));
    }
    verdicts
}

impl On {
    fn has(self, flavour: &str) -> bool {
        match self {
            On::All => true,
            On::Puc => flavour != "jit",
            On::Jit => flavour == "jit",
        }
    }
}

impl Target {
    fn verdict(&self, ours: &Line, results: &Results) -> Verdict {
        let unit = Unit::named(&ours.unit);
        let (wanted, reached, pass) = match self.wants {
            Wants::Times(factor, names) => {
                let rivals = names.iter().filter_map(|name| results.beside(ours, name));
                let factors = rivals.map(|line| {
                    let factor = advantage(unit, ours.median, line.median);
                    (line.name.as_str(), factor)
                });
                let best = factors.min_by(|a, b| a.1.total_cmp(&b.1));
                let wanted = format!("≥ ×{factor} of {}", names.join(", "));
                match best {
                    Some((name, got)) => {
                        (wanted, format!("×{got:.2} of {name}"), Some(got >= factor))
                    }
                    None => (wanted, "not measured".to_owned(), None),
                }
            }
            Wants::TimesRow(factor, row) => {
                let other = results.lines.iter().find(|line| {
                    line.row == row && line.name == "rlanes" && line.flavour == ours.flavour
                });
                let wanted = format!("≥ ×{factor:.2} of {row}");
                match other.map(|other| advantage(unit, ours.median, other.median)) {
                    Some(got) => (wanted, format!("×{got:.2}"), Some(got >= factor)),
                    None => (wanted, "not measured".to_owned(), None),
                }
            }
            Wants::Above(more, name) => {
                let wanted = format!("≤ {name} + {more} {}", ours.unit);
                match results.beside(ours, name) {
                    Some(line) => {
                        let got = ours.median - line.median;
                        let reached = format!("{name} + {got:.1} {}", ours.unit);
                        (wanted, reached, Some(got <= more))
                    }
                    None => (wanted, "not measured".to_owned(), None),
                }
            }
            Wants::AtMost(most) => (
                format!("≤ {most} {}", ours.unit),
                format!("{:.2} {}", ours.median, ours.unit),
                Some(ours.median <= most),
            ),
        };
        Verdict {
            row: self.row,
            flavour: ours.flavour().to_owned(),
            wanted,
            reached,
            pass,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::line;
    use super::*;

    #[test]
    fn rows_exist() {
        let rows: Vec<_> = super::super::rows::all();
        let known = |id: &str| rows.iter().any(|row| row.id == id);
        for target in TARGETS {
            assert!(known(target.row), "{}", target.row);
            if let Wants::TimesRow(_, row) = target.wants {
                assert!(known(row), "{row}");
            }
        }
    }

    #[test]
    fn passes_and_misses() {
        let results = Results::of(vec![
            line("latency/512/one", "µs", Some("5.4"), "rlanes", 2.0),
            line("latency/512/one", "µs", Some("5.4"), "zmq-c", 3.0),
            line("herd/200", "µs", Some("5.4"), "rlanes", 12.0),
            line("herd/0", "µs", Some("5.4"), "rlanes", 10.0),
            line("memory/all", "KiB", Some("jit"), "rlanes", 90.0),
            line("memory/all", "KiB", Some("jit"), "state", 70.0),
            line(
                "throughput/512/100",
                "per second",
                Some("jit"),
                "rlanes",
                5.0,
            ),
            line("throughput/512/100", "per second", None, "crossbeam", 10.0),
        ]);
        let verdicts = verdicts(&results);
        let of = |row: &str, wanted: &str| {
            let found = verdicts
                .iter()
                .find(|v| v.row == row && v.wanted.contains(wanted));
            found.unwrap_or_else(|| panic!("{row} {wanted}")).pass
        };
        assert_eq!(of("latency/512/one", "zmq"), Some(true));
        assert_eq!(of("latency/512/one", "lanes4"), None);
        assert_eq!(of("herd/200", "herd/0"), Some(false));
        assert_eq!(of("memory/all", "state"), Some(true));
        assert_eq!(of("throughput/512/100", "crossbeam"), Some(false));
        assert_eq!(of("throughput/512/100", "zmq-ffi"), None);
        assert!(!verdicts.iter().any(|v| v.wanted == "≥ ×2 of zmq-c"));
    }
}
