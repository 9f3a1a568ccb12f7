//! The generated parts of `docs/benchmarks.md`: what stands between
//! `<!-- bench: NAME -->` and `<!-- /bench -->`.

use std::fmt::Write;

use anyhow::{Context, Result};

use super::contestant::Who;
use super::report::number;
use super::results::{Line, Results, advantage};
use super::rows::{Row, Unit};
use super::targets;
use crate::flavour::Flavour;
use crate::project;

const FILE: &str = "docs/benchmarks.md";
const OPEN: &str = "<!-- bench: ";
const CLOSE: &str = "<!-- /bench -->";

/// Writes the tables anew. A marker's name is `machine`, `targets`, `plot` with
/// the picture's name, or the first word of the rows that stand there.
pub(crate) fn update(results: &Results, rows: &[Row]) -> Result<()> {
    let path = project::root().join(FILE);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {FILE}"))?;
    let text = replace(&text, |name| match name {
        "machine" => machine(results),
        "targets" => verdicts(results),
        "plot latency" => picture("latency", "latency of each contestant"),
        "plot throughput" => picture("throughput", "throughput by size of message"),
        group => table(group, results, rows),
    })?;
    std::fs::write(&path, text).with_context(|| format!("cannot write {FILE}"))
}

/// Puts new content between all markers.
fn replace(text: &str, content: impl Fn(&str) -> String) -> Result<String> {
    let mut done = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(OPEN) {
        let (before, marked) = rest.split_at(start);
        let (name, _) = marked[OPEN.len()..]
            .split_once(" -->")
            .context("a marker without an end")?;
        let end = marked
            .find(CLOSE)
            .with_context(|| format!("no `{CLOSE}` after `{OPEN}{name}`"))?;
        write!(done, "{before}{OPEN}{name} -->\n\n{}\n", content(name))?;
        rest = &marked[end..];
    }
    done.push_str(rest);
    Ok(done)
}

/// A link to a picture, if that has been drawn.
fn picture(name: &str, title: &str) -> String {
    let file = format!("plots/{name}.svg");
    if project::root().join("docs").join(&file).is_file() {
        format!("![{title}]({file})\n")
    } else {
        String::new()
    }
}

/// Which machine, commit and interpreters the figures are from.
fn machine(results: &Results) -> String {
    let mut text = String::new();
    let mut machines: Vec<(String, usize)> = Vec::new();
    let mut interpreters: Vec<&str> = Vec::new();
    for line in &results.lines {
        let name = line.machine.to_string();
        match machines.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => machines.push((name, 1)),
        }
        if line.flavour.is_some() && !interpreters.contains(&line.interpreter.as_str()) {
            interpreters.push(&line.interpreter);
        }
    }
    for (name, count) in machines {
        let _ = writeln!(text, "- {name} ({count} figures)");
    }
    let _ = writeln!(text, "- {}", interpreters.join(", "));
    text
}

fn verdicts(results: &Results) -> String {
    let mut text = "| row | on | wanted | reached | |\n|---|---|---|---|---|\n".to_owned();
    for verdict in targets::verdicts(results) {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            verdict.row,
            verdict.flavour,
            verdict.wanted,
            verdict.reached,
            verdict.word()
        );
    }
    text
}

/// All rows of a group: a line for each contestant, a column for each flavour.
fn table(group: &str, results: &Results, rows: &[Row]) -> String {
    if !results
        .lines
        .iter()
        .any(|line| group_of(&line.row) == group)
    {
        return "Not measured yet.\n".to_owned();
    }
    let flavours: Vec<_> = Flavour::ALL
        .into_iter()
        .map(Flavour::name)
        .filter(|name| results.lines.iter().any(|line| line.flavour() == *name))
        .collect();
    let mut text = "| row | unit | |".to_owned();
    for flavour in &flavours {
        let title = if *flavour == "jit" { "LuaJIT" } else { flavour };
        let _ = write!(text, " {title} |");
    }
    text.push_str("\n|---|---|---|");
    text.push_str(&"---|".repeat(flavours.len()));
    text.push('\n');
    for row in rows.iter().filter(|row| group_of(&row.id) == group) {
        let lines: Vec<_> = results.lines.iter().filter(|l| l.row == row.id).collect();
        let mut names: Vec<&str> = Vec::new();
        for line in &lines {
            if !names.contains(&line.name.as_str()) {
                names.push(&line.name);
            }
        }
        for name in names {
            let (id, unit) = match name {
                "rlanes" => (row.id.as_str(), row.unit.name()),
                _ => ("", ""),
            };
            let _ = write!(text, "| {id} | {unit} | {} |", title(name));
            for flavour in &flavours {
                let of = |wanted: &str| {
                    let mut found = lines.iter().filter(|line| line.name == wanted);
                    found.find(|line| line.flavour.is_none() || line.flavour() == *flavour)
                };
                let _ = match of(name) {
                    Some(line) => {
                        write!(text, " {} |", cell(row.unit, line, of("rlanes").copied()))
                    }
                    None => write!(text, " |"),
                };
            }
            text.push('\n');
        }
    }
    text
}

pub(crate) fn group_of(row: &str) -> &str {
    row.split('/').next().unwrap_or_default()
}

/// Rust's channels run without Lua, whatever the column.
fn title(name: &str) -> String {
    if Who::RUST
        .iter()
        .any(|who| who.name() == name && *who != Who::ZmqRust)
    {
        format!("{name} (Rust)")
    } else {
        name.to_owned()
    }
}

fn cell(unit: Unit, line: &Line, ours: Option<&Line>) -> String {
    let range = format!("{}–{}", number(unit, line.min), number(unit, line.max));
    let text = format!("{} ({range})", number(unit, line.median));
    match ours {
        Some(ours) if line.name != "rlanes" => {
            format!("{text} ×{:.2}", advantage(unit, ours.median, line.median))
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::line;
    use super::super::rows;
    use super::*;

    #[test]
    fn only_what_is_marked_is_replaced() {
        let text = "a\n<!-- bench: one -->\nold\n<!-- /bench -->\nb\n<!-- bench: two -->\n<!-- /bench -->\n";
        let once = replace(text, str::to_uppercase).unwrap();
        assert_eq!(
            once,
            "a\n<!-- bench: one -->\n\nONE\n<!-- /bench -->\nb\n<!-- bench: two -->\n\nTWO\n<!-- /bench -->\n"
        );
        assert_eq!(replace(&once, str::to_uppercase).unwrap(), once);
        assert!(replace("<!-- bench: one -->\n", str::to_uppercase).is_err());
    }

    #[test]
    fn a_table() {
        let results = Results::of(vec![
            line("latency/512/two", "µs", Some("5.4"), "rlanes", 2.0),
            line("latency/512/two", "µs", Some("5.4"), "zmq-c", 50.0),
            line("latency/512/two", "µs", None, "kanal", 1.0),
        ]);
        let text = table("latency", &results, &rows::all());
        assert_eq!(
            text,
            "| row | unit | | 5.4 |\n|---|---|---|---|\n\
             | latency/512/two | µs | rlanes | 2.00 (2.00–2.00) |\n\
             |  |  | zmq-c | 50.0 (50.0–50.0) ×25.00 |\n\
             |  |  | kanal (Rust) | 1.00 (1.00–1.00) ×0.50 |\n"
        );
    }

    #[test]
    fn every_group_has_a_place() {
        let text = std::fs::read_to_string(project::root().join(FILE)).unwrap();
        for row in rows::all() {
            let marker = format!("{OPEN}{} -->", group_of(&row.id));
            assert!(text.contains(&marker), "{FILE} has no `{marker}`");
        }
    }
}
