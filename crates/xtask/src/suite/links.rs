//! Links between the documents: each names a file that exists, and a heading
//! that the file has.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use anyhow::{Context, Result};
use regex::Regex;

use crate::project;
use crate::tally::Tally;

/// `](target)`; a target with spaces is no link that anybody writes.
static LINK: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\]\(([^)\s]+)\)").expect("the expression is valid"));

/// One result for each document.
pub(crate) fn check(tally: &Tally) -> Result<()> {
    for file in documents()? {
        let document = project::relative(&file);
        let text = read(&file)?;
        let bad = dead(&file, &text)?;
        if bad.is_empty() {
            tally.pass(format!("links {document}"), "");
        } else {
            tally.fail(format!("links {document}"), bad.join("; "), "");
        }
    }
    Ok(())
}

/// Every document of the project.
fn documents() -> Result<Vec<PathBuf>> {
    let root = project::root();
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&root)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "md") {
            files.push(path);
        }
    }
    for dir in ["docs", "tests", "crates", "benches", "examples"] {
        files.extend(project::files_below(&root.join(dir), "md")?);
    }
    files.sort();
    Ok(files)
}

fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file)
        .with_context(|| format!("cannot read {}", project::relative(file)))
}

/// The links of a document that lead nowhere, as `line: target`.
fn dead(file: &Path, text: &str) -> Result<Vec<String>> {
    let mut bad = Vec::new();
    for (line, target) in links(text) {
        let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
        let to = file.parent().unwrap_or(file).join(path);
        let headings = match path {
            "" => anchors(text),
            _ if to.extension().is_some_and(|e| e == "md") && to.exists() => anchors(&read(&to)?),
            _ => Vec::new(),
        };
        let exists = path.is_empty() || to.exists();
        if !exists || !anchor.is_empty() && !headings.iter().any(|known| known == anchor) {
            bad.push(format!("line {line}: {target}"));
        }
    }
    Ok(bad)
}

/// What lies outside of blocks of code, with line numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut inside = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        (!inside && !fence).then_some((index + 1, line))
    })
}

/// The links within the project.
fn links(text: &str) -> Vec<(usize, &str)> {
    let found = prose(text).flat_map(|(line, text)| {
        LINK.captures_iter(text)
            .filter_map(move |found| Some((line, found.get(1)?.as_str())))
    });
    found
        .filter(|(_, target)| !target.contains("://") && !target.starts_with("mailto:"))
        .collect()
}

/// The names of the headings, as the usual viewers make them.
fn anchors(text: &str) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let headings = prose(text).filter(|(_, line)| line.starts_with('#'));
    headings
        .map(|(_, line)| {
            let name: String = line
                .trim_start_matches('#')
                .trim()
                .to_lowercase()
                .chars()
                .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
                .map(|c| if c == ' ' { '-' } else { c })
                .collect();
            let count = seen.entry(name.clone()).or_default();
            *count += 1;
            match *count {
                1 => name,
                n => format!("{name}-{}", n - 1),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings() {
        let text = "# A title\n## h:join([timeout])\n```sh\n# no heading\n```\n## A title\n";
        assert_eq!(anchors(text), ["a-title", "hjointimeout", "a-title-1"]);
    }

    #[test]
    fn targets() {
        let text = "[a](b.md#c) and [d](#e), [f](https://g.h/i)\n```\n[j](k)\n```\n";
        assert_eq!(links(text), [(1, "b.md#c"), (1, "#e")]);
    }

    #[test]
    fn dead_links_are_found() {
        let file = project::root().join("README.md");
        let text =
            "# Here\n[a](#here) [b](docs/manual.md) [c](#there) [d](docs/none.md) [e](LICENSE#x)\n";
        assert_eq!(
            dead(&file, text).unwrap(),
            [
                "line 2: #there",
                "line 2: docs/none.md",
                "line 2: LICENSE#x"
            ]
        );
    }
}
