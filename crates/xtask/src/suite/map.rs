//! The code map in `docs/architecture.md` names every source file of the crates
//! that it describes, and no file that does not exist.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use anyhow::{Context, Result};
use regex::Regex;

use crate::project;
use crate::tally::Tally;

const DOCUMENT: &str = "docs/architecture.md";
/// The crates that have a section of their own.
const CRATES: [&str; 3] = ["linda", "lane", "lanes"];

/// A file or a directory, in backticks.
static NAME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"`([\w/*]+(?:\.\w+|/))`").expect("the expression is valid"));

pub(crate) fn check(tally: &Tally) -> Result<()> {
    let text = std::fs::read_to_string(project::root().join(DOCUMENT))
        .with_context(|| format!("cannot read {DOCUMENT}"))?;
    for name in CRATES {
        let wrong = differences(name, section(&text, name))?;
        if wrong.is_empty() {
            tally.pass(format!("code map of {name}"), "");
        } else {
            tally.fail(format!("code map of {name}"), wrong.join("; "), "");
        }
    }
    Ok(())
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
    let rows = section.lines().filter(|line| line.starts_with('|'));
    let named: BTreeSet<&str> = rows
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
    fn both_ways() {
        let wrong = differences("linda", "| `linda.rs`, `none.rs` | x |").unwrap();
        assert!(wrong.contains(&"slot.rs is not named".to_owned()));
        assert!(wrong.contains(&"none.rs does not exist".to_owned()));
        assert!(!wrong.iter().any(|text| text.starts_with("linda.rs")));
    }
}
