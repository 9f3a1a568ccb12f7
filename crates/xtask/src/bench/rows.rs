//! What is measured: one row for each workload with its settings.

use super::contestant::Who;

/// A workload.
pub(crate) struct Row {
    /// Its name: workload, settings, placement.
    pub(crate) id: String,
    pub(crate) what: &'static str,
    pub(crate) unit: Unit,
    pub(crate) place: Place,
    pub(crate) count: Count,
    pub(crate) entries: Vec<Entry>,
}

/// How one contestant runs it: the arguments of its script or program.
pub(crate) struct Entry {
    pub(crate) who: Who,
    pub(crate) script: String,
    pub(crate) args: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    PerSecond,
    Microseconds,
    Kib,
}

impl Unit {
    pub(crate) fn more_is_better(self) -> bool {
        self == Unit::PerSecond
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Unit::PerSecond => "per second",
            Unit::Microseconds => "µs",
            Unit::Kib => "KiB",
        }
    }
}

/// On which processors the two sides are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The scheduler decides.
    Free,
    /// Both on the first one.
    One,
    /// Each pinned to one of its own.
    Two,
}

impl Place {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Place::Free => "free",
            Place::One => "one",
            Place::Two => "two",
        }
    }
}

/// How much work a run does.
#[derive(Clone, Copy)]
pub(crate) enum Count {
    /// So much that it takes the time wanted, between these bounds.
    Timed { first: u64, most: u64 },
    /// Always this much; `quick` in quick runs.
    Fixed { usual: u64, quick: u64 },
}

const TIMED: Count = Count::Timed {
    first: 1_000,
    most: 20_000_000,
};

/// No more than this much may lie in a queue without a limit.
const UNLIMITED_BYTES: u64 = 192 << 20;

impl Row {
    fn new(id: impl Into<String>, what: &'static str, unit: Unit, place: Place) -> Row {
        Row {
            id: id.into(),
            what,
            unit,
            place,
            count: TIMED,
            entries: Vec::new(),
        }
    }

    fn count(mut self, count: Count) -> Row {
        self.count = count;
        self
    }

    fn place_arg(&self) -> String {
        format!("place={}", self.place.name())
    }

    /// The script of rlanes and of modules with the same interface.
    fn lua(mut self, script: &str, args: &[String]) -> Row {
        let mut args = args.to_vec();
        if self.place != Place::Free {
            args.push(self.place_arg());
        }
        self.entries.push(Entry {
            who: Who::Rlanes,
            script: format!("benches/lua/rows/{script}.lua"),
            args,
        });
        self
    }

    /// ZeroMQ through both bindings.
    fn zmq(mut self, mode: &str, args: &[String]) -> Row {
        for (who, binding) in [(Who::ZmqC, "c"), (Who::ZmqFfi, "ffi")] {
            let mut args = args.to_vec();
            args.extend([
                format!("binding={binding}"),
                format!("mode={mode}"),
                self.place_arg(),
            ]);
            self.entries.push(Entry {
                who,
                script: "benches/lua/peers/zmq.lua".to_owned(),
                args,
            });
        }
        self
    }
}

/// All rows, in the order in which they are run and shown.
pub(crate) fn all() -> Vec<Row> {
    let mut rows = Vec::new();
    latency(&mut rows);
    throughput(&mut rows);
    fan_in(&mut rows);
    rows
}

fn arg(name: &str, value: impl std::fmt::Display) -> String {
    format!("{name}={value}")
}

fn latency(rows: &mut Vec<Row>) {
    for place in [Place::Two, Place::One, Place::Free] {
        let args = [arg("size", 512)];
        rows.push(
            Row::new(
                format!("latency/512/{}", place.name()),
                "a string of 512 bytes to and fro, one way",
                Unit::Microseconds,
                place,
            )
            .lua("latency", &args)
            .zmq("latency", &args),
        );
    }
    rows.push(
        Row::new(
            "latency/table/two",
            "a table {id, name, vals×5} to and fro, one way",
            Unit::Microseconds,
            Place::Two,
        )
        .lua("latency", &[arg("payload", "table")]),
    );
}

fn throughput(rows: &mut Vec<Row>) {
    let what = "strings, one sender, one receiver";
    for size in [512_u64, 30, 0, 4_096, 65_536] {
        for limit in ["100", "1000", "none"] {
            let args = [arg("size", size), arg("limit", limit)];
            let most = match limit {
                "none" => UNLIMITED_BYTES / (size + 128),
                _ => 20_000_000,
            };
            let id = format!("throughput/{size}/{limit}");
            rows.push(
                Row::new(id, what, Unit::PerSecond, Place::Free)
                    .count(Count::Timed { first: 1_000, most })
                    .lua("throughput", &args)
                    .zmq("throughput", &args),
            );
        }
    }
}

fn fan_in(rows: &mut Vec<Row>) {
    for producers in [4, 16] {
        let args = [arg("size", 512), arg("limit", 100)];
        let lua = [&args[..], &[arg("producers", producers)]].concat();
        let zmq = [&args[..], &[arg("others", producers)]].concat();
        rows.push(
            Row::new(
                format!("fanin/{producers}"),
                "lanes send 512 bytes, each to its own key; one waits on all",
                Unit::PerSecond,
                Place::Free,
            )
            .lua("fanin", &lua)
            .zmq("fanin", &zmq),
        );
    }
}
