//! Documents that list files list all of them, and no file that does not exist:
//! the code map in `docs/architecture.md` those of the crates that it describes,
//! `docs/coverage.md` the Lua tests.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use anyhow::{Context, Result};
use regex::Regex;

use super::script;
use crate::project;
use crate::tally::Tally;

const DOCUMENT: &str = "docs/architecture.md";
const COVERAGE: &str = "docs/coverage.md";
/// The crates that have a section of their own.
const CRATES: [&str; 3] = ["linda", "lane", "lanes"];

/// A file or a directory, in backticks.
static NAME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"`([\w/*]+(?:\.\w+|/))`").expect("the expression is valid"));

pub(crate) fn check(tally: &Tally) -> Result<()> {
    let report = |name: String, wrong: Vec<String>| {
        if wrong.is_empty() {
            tally.pass(name, "");
        } else {
            tally.fail(name, wrong.join("; "), "");
        }
    };
    let text = read(DOCUMENT)?;
    for name in CRATES {
        let wrong = differences(name, section(&text, name))?;
        report(format!("code map of {name}"), wrong);
    }
    let tests: BTreeSet<String> = script::collect(None)?
        .into_iter()
        .map(|script| script.name)
        .filter(|name| !name.starts_with("examples/"))
        .collect();
    report(COVERAGE.to_owned(), uncovered(&read(COVERAGE)?, &tests));
    Ok(())
}

fn read(document: &str) -> Result<String> {
    std::fs::read_to_string(project::root().join(document))
        .with_context(|| format!("cannot read {document}"))
}

/// The tests that the text does not name, and the names that are no test.
fn uncovered(text: &str, tests: &BTreeSet<String>) -> Vec<String> {
    let rows = text.lines().filter(|line| line.starts_with('|'));
    let cells = rows.filter_map(|row| row.trim_end_matches([' ', '|']).rsplit(" | ").next());
    let mut named: BTreeSet<&str> = cells
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect();
    named.extend(
        text.lines()
            .filter(|line| !line.starts_with('|'))
            .flat_map(|line| {
                line.split('`')
                    .skip(1)
                    .step_by(2)
                    .filter(|name| tests.contains(*name))
            }),
    );
    let missing = tests.iter().filter(|name| !named.contains(name.as_str()));
    let mut wrong: Vec<String> = missing.map(|name| format!("{name} is not named")).collect();
    let gone = named.iter().filter(|name| !tests.contains(**name));
    wrong.extend(gone.map(|name| format!("{name} is no test")));
    wrong
}

/// The rows of a crate's table; empty if it has none.
fn section<'a>(text: &'a str, name: &str) -> &'a str {
    let heading = format!("### crates/{name}");
    let begin = text
        .match_indices(&heading)
        .find(|(at, _)| text[at + heading.len()..].starts_with(['\n', ',']));
    let Some((begin, _)) = begin else { return "" };
    let rest = &text[begin + heading.len()..];
    rest.find("\n#").map_or(rest, |end| &rest[..end])
}

/// What the section lacks, and what it has too much.
fn differences(name: &str, section: &str) -> Result<Vec<String>> {
    let root = project::root();
    let source = root.join("crates").join(name).join("src");
    // The files stand in the first cell of a row.
    let rows = section.lines().filter(|line| line.starts_with('|'));
    let named: BTreeSet<&str> = rows
        .filter_map(|row| row.split('|').nth(1))
        .flat_map(|row| NAME.captures_iter(row))
        .filter_map(|found| Some(found.get(1)?.as_str()))
        .collect();
    let mut wrong = Vec::new();
    for file in project::files_below(&source, "rs")? {
        let path = file.strip_prefix(&source)?.display().to_string();
        let known = path.ends_with("lib.rs")
            || path.ends_with("mod.rs")
            || named
                .iter()
                .any(|name| *name == path || name.ends_with('/') && path.starts_with(name));
        if !known {
            wrong.push(format!("{path} is not named"));
        }
    }
    for name in named {
        let path = name.trim_end_matches("*.lua");
        if !source.join(path).exists() && !root.join(path).exists() {
            wrong.push(format!("{name} does not exist"));
        }
    }
    Ok(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections() {
        let text = "### crates/lanes, lua/\n| `b.rs` |\n### crates/lane\n| `a.rs` |\n## Next\n";
        assert_eq!(section(text, "lane"), "\n| `a.rs` |");
        assert_eq!(section(text, "lanes"), ", lua/\n| `b.rs` |");
        assert_eq!(section(text, "linda"), "");
    }

    #[test]
    fn tests_are_named() {
        let tests = ["a/one", "a/two", "b/three"].map(str::to_owned).into();
        let text =
            "| what `x` does | tests |\n|---|---|\n| that | `a/one`, `a/none` |\nSee `b/three`.\n";
        assert_eq!(
            uncovered(text, &tests),
            ["a/two is not named", "a/none is no test"]
        );
    }

    #[test]
    fn both_ways() {
        let wrong = differences("linda", "| `linda.rs`, `none.rs` | x |").unwrap();
        assert!(wrong.contains(&"slot.rs is not named".to_owned()));
        assert!(wrong.contains(&"none.rs does not exist".to_owned()));
        assert!(!wrong.iter().any(|text| text.starts_with("linda.rs")));
    }
}
