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
    /// Whether other modules with Lanes' interface cannot run it.
    pub(crate) own: bool,
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
    Milliseconds,
    Kib,
}

impl Unit {
    pub(crate) fn more_is_better(self) -> bool {
        self == Unit::PerSecond
    }

    /// The unit of a stored line.
    pub(crate) fn named(name: &str) -> Unit {
        let all = [Unit::Microseconds, Unit::Milliseconds, Unit::Kib];
        let found = all.into_iter().find(|unit| unit.name() == name);
        found.unwrap_or(Unit::PerSecond)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Unit::PerSecond => "per second",
            Unit::Microseconds => "µs",
            Unit::Milliseconds => "ms",
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

impl Count {
    const fn up_to(most: u64) -> Count {
        Count::Timed { first: 1_000, most }
    }

    /// For what takes longer than the rest.
    const fn from(first: u64) -> Count {
        let most = 20_000_000;
        Count::Timed { first, most }
    }
}

/// No more than this much may lie in a queue without a limit.
const UNLIMITED_BYTES: u64 = 192 << 20;

/// The rivals of rows with one queue; the Rust ones have no other.
const CHANNELS: [Who; 5] = Who::RUST;

impl Row {
    fn new(id: impl Into<String>, what: &'static str, unit: Unit) -> Row {
        Row {
            id: id.into(),
            what,
            unit,
            place: Place::Free,
            count: Count::from(1_000),
            own: false,
            entries: Vec::new(),
        }
    }

    fn place(mut self, place: Place) -> Row {
        self.place = place;
        self
    }

    fn count(mut self, count: Count) -> Row {
        self.count = count;
        self
    }

    /// Needs what only rlanes has.
    fn own(mut self) -> Row {
        self.own = true;
        self
    }

    fn entry(mut self, who: Who, script: &str, args: &[String]) -> Row {
        let mut args = args.to_vec();
        if self.place == Place::Two {
            args.push(arg("place", "two"));
        }
        self.entries.push(Entry {
            who,
            script: script.to_owned(),
            args,
        });
        self
    }

    /// The script of rlanes and of modules with the same interface.
    fn lua(self, script: &str, args: &[String]) -> Row {
        let script = format!("benches/lua/rows/{script}.lua");
        self.entry(Who::Rlanes, &script, args)
    }

    /// ZeroMQ through both bindings.
    fn zmq(mut self, mode: &str, args: &[String]) -> Row {
        for (who, binding) in [(Who::ZmqC, "c"), (Who::ZmqFfi, "ffi")] {
            let args = [args, &[arg("binding", binding), arg("mode", mode)]].concat();
            self = self.entry(who, "benches/lua/peers/zmq.lua", &args);
        }
        self
    }

    /// The event loops with threads: only a sender and a receiver.
    fn loops(self, mode: &str, size: u64) -> Row {
        let args = [arg("mode", mode), arg("size", size)];
        self.entry(Who::Cqueues, "benches/lua/peers/cqueues.lua", &args)
            .entry(Who::Luv, "benches/lua/peers/luv.lua", &args)
    }

    fn rust(mut self, channels: &[Who], mode: &str, args: &[String]) -> Row {
        for &who in channels {
            let name = if who == Who::ZmqRust {
                "zmq"
            } else {
                who.name()
            };
            let args = [args, &[arg("channel", name)]].concat();
            self = self.entry(who, mode, &args);
        }
        self
    }

    /// Lua states without lanes.
    fn bare(mut self, mode: &str, libraries: &str) -> Row {
        for who in [Who::Thread, Who::State] {
            let args = [
                arg("mode", mode),
                arg("what", who.name()),
                arg("libraries", libraries),
            ];
            self = self.entry(who, "benches/lua/peers/bare.lua", &args);
        }
        self
    }
}

/// All rows, in the order in which they are run and shown.
pub(crate) fn all() -> Vec<Row> {
    let mut rows = Vec::new();
    latency(&mut rows);
    throughput(&mut rows);
    many(&mut rows);
    slots(&mut rows);
    transfer(&mut rows);
    lanes(&mut rows);
    crowd(&mut rows);
    rows
}

fn arg(name: &str, value: impl std::fmt::Display) -> String {
    format!("{name}={value}")
}

fn latency(rows: &mut Vec<Row>) {
    let what = "a string of 512 bytes to and fro, one way";
    for place in [Place::Two, Place::One, Place::Free] {
        let args = [arg("size", 512)];
        let id = format!("latency/512/{}", place.name());
        rows.push(
            Row::new(id, what, Unit::Microseconds)
                .place(place)
                .lua("latency", &args)
                .zmq("latency", &args)
                .loops("latency", 512)
                .rust(&CHANNELS, "latency", &args),
        );
    }
    let what = "a table {id, name, vals×5} to and fro, one way";
    rows.push(
        Row::new("latency/table/two", what, Unit::Microseconds)
            .place(Place::Two)
            .lua("latency", &[arg("payload", "table")]),
    );
    let what = "the same while others wait for other keys of the linda";
    for waiters in [0, 1, 8, 200] {
        rows.push(
            Row::new(format!("herd/{waiters}"), what, Unit::Microseconds)
                .place(Place::Two)
                .lua("latency", &[arg("waiters", waiters)]),
        );
    }
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
            let mut row = Row::new(format!("throughput/{size}/{limit}"), what, Unit::PerSecond)
                .count(Count::up_to(most))
                .lua("throughput", &args)
                .zmq("throughput", &args);
            row = match (size, limit) {
                (30 | 512, "1000") => {
                    row.loops("throughput", size)
                        .rust(&CHANNELS, "throughput", &args)
                }
                (30 | 512, "100") => row.rust(&CHANNELS, "throughput", &args),
                _ => row.rust(&[Who::Crossbeam], "throughput", &args),
            };
            rows.push(row);
        }
    }
    for place in [Place::One, Place::Two] {
        let args = [arg("size", 512), arg("limit", 100)];
        let id = format!("throughput/512/100/{}", place.name());
        rows.push(
            Row::new(id, what, Unit::PerSecond)
                .place(place)
                .lua("throughput", &args)
                .zmq("throughput", &args)
                .rust(&[Who::Crossbeam, Who::Kanal], "throughput", &args),
        );
    }
    for (payload, what) in [
        ("table", "tables {id, name, vals×5}"),
        ("number", "numbers"),
    ] {
        for limit in ["100", "1000"] {
            let args = [arg("payload", payload), arg("limit", limit)];
            let id = format!("throughput/{payload}/{limit}");
            rows.push(Row::new(id, what, Unit::PerSecond).lua("throughput", &args));
        }
    }
    let what = "strings of 30 bytes, so many in a call at both ends, limit 1000";
    for batch in [10, 100] {
        let args = [arg("batch", batch)];
        rows.push(Row::new(format!("batch/{batch}"), what, Unit::PerSecond).lua("batch", &args));
    }
}

/// More than one sender or receiver.
fn many(rows: &mut Vec<Row>) {
    let args = [arg("size", 512), arg("limit", 100)];
    for lanes in [4, 16] {
        let with = |name: &str| [&args[..], &[arg(name, lanes)]].concat();
        let what = "lanes send 512 bytes, each to its own key; one waits on all";
        let channels = [Who::Crossbeam, Who::Kanal, Who::Flume, Who::ZmqRust];
        rows.push(
            Row::new(format!("fanin/{lanes}"), what, Unit::PerSecond)
                .lua("fanin", &with("producers"))
                .zmq("fanin", &with("others"))
                .rust(&channels, "fanin", &with("others")),
        );
    }
    let what = "one sends 512 bytes to a key, four lanes receive from it";
    let with = |name: &str| [&args[..], &[arg(name, 4)]].concat();
    rows.push(
        Row::new("fanout/4", what, Unit::PerSecond)
            .lua("fanout", &with("consumers"))
            .zmq("fanout", &with("others"))
            .rust(&[Who::Crossbeam, Who::Kanal], "fanout", &with("others")),
    );
    let what = "as fanin/4, but four lindas; one waits with lanes.select";
    rows.push(
        Row::new("select/4", what, Unit::PerSecond)
            .own()
            .lua("select", &args),
    );
}

/// Slots as variables, and timers.
fn slots(rows: &mut Vec<Row>) {
    for (mode, what) in [
        ("alone", "set and get in turn, in one lane"),
        ("shared", "get, while another lane sets"),
    ] {
        rows.push(
            Row::new(format!("setget/{mode}"), what, Unit::PerSecond)
                .lua("setget", &[arg("mode", mode)]),
        );
    }
    rows.push(
        Row::new(
            "timers/set",
            "timers set or stopped, 100 running",
            Unit::PerSecond,
        )
        .lua("timers", &[arg("mode", "set")]),
    );
    let count = Count::Fixed {
        usual: 50,
        quick: 10,
    };
    let what = "how late a timer of 2 ms is";
    rows.push(
        Row::new("timers/late", what, Unit::Microseconds)
            .count(count)
            .lua("timers", &[arg("mode", "late")]),
    );
}

fn transfer(rows: &mut Vec<Row>) {
    let shapes = [
        ("number", "a number"),
        ("string", "a string of 512 bytes"),
        ("record", "a table {id, name, vals×5}"),
        ("array", "a list of 100 numbers"),
        ("map", "100 names with numbers"),
        ("records", "a list of 100 tables {id, name, vals×5}"),
        ("nested", "100 tables, each within the one before"),
        ("graph", "a table in itself, 20 times in a list"),
        ("function", "a function with two variables"),
        ("linda", "a linda"),
    ];
    for (shape, what) in shapes {
        rows.push(
            Row::new(format!("transfer/{shape}"), what, Unit::Microseconds)
                .count(Count::from(200))
                .lua("transfer", &[arg("shape", shape)]),
        );
    }
}

/// What lanes cost.
fn lanes(rows: &mut Vec<Row>) {
    for (libraries, what) in [
        (
            "none",
            "lanes without libraries, started and joined in turn",
        ),
        ("all", "lanes with all libraries"),
        (
            "required",
            "lanes with all libraries and a module that is required",
        ),
    ] {
        let row = Row::new(format!("create/{libraries}"), what, Unit::PerSecond)
            .count(Count::from(100))
            .lua("create", &[arg("libraries", libraries)]);
        rows.push(match libraries {
            "required" => row,
            _ => row.bare("create", libraries),
        });
    }
    let count = Count::Fixed {
        usual: 1_000,
        quick: 100,
    };
    for libraries in ["none", "all"] {
        let what = "memory of each of 1,000 blocked lanes";
        rows.push(
            Row::new(format!("memory/{libraries}"), what, Unit::Kib)
                .count(count)
                .lua("memory", &[arg("libraries", libraries)])
                .bare("memory", libraries),
        );
    }
    let count = Count::Fixed {
        usual: 100,
        quick: 20,
    };
    let what = "processor time that 100 blocked lanes take in a second";
    rows.push(
        Row::new("idle/100", what, Unit::Milliseconds)
            .count(count)
            .lua("idle", &[]),
    );
}

/// More busy lanes than processors.
fn crowd(rows: &mut Vec<Row>) {
    for (mode, what) in [
        (
            "messages",
            "pairs of lanes pass 512 bytes, each over its queue",
        ),
        ("work", "lanes compute, and send results to one"),
    ] {
        for lanes in [2, 16] {
            let args = [arg("mode", mode), arg("lanes", lanes)];
            rows.push(
                Row::new(format!("crowd/{mode}/{lanes}"), what, Unit::PerSecond)
                    .lua("crowd", &args),
            );
        }
    }
    let what = "a ping-pong among 16 lanes that compute, one way";
    rows.push(
        Row::new("crowd/pingpong", what, Unit::Microseconds)
            .count(Count::Timed {
                first: 10,
                most: 1_000,
            })
            .lua("crowd", &[arg("mode", "pingpong")])
            .zmq("latency", &[arg("crowd", 16)]),
    );
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_scripts_exist() {
        let mut names = BTreeSet::new();
        for row in all() {
            assert!(names.insert(row.id.clone()), "{} twice", row.id);
            let mut contestants = BTreeSet::new();
            for entry in &row.entries {
                assert!(contestants.insert(entry.who.name()), "{}", row.id);
                let script = crate::project::root().join(&entry.script);
                assert!(Who::RUST.contains(&entry.who) || script.is_file());
            }
        }
    }
}
