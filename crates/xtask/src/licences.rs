//! The licences of what is compiled into the module: a list that goes with it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::flavour::Flavour;
use crate::project;

/// One package of a registry.
struct Package {
    licence: String,
    dir: PathBuf,
}

/// A document with the name, version, licence and licence texts of every crate
/// in the module of this flavour, or in the runner, with Lua itself.
pub(crate) fn listing(flavour: Flavour) -> Result<String> {
    let all = packages()?;
    let mut text = String::from(
        "# Licences of third parties\n\nrlanes is under the MIT licence, see LICENSE. What is compiled in besides:\n\n\
         - the standard library of Rust: MIT or Apache-2.0\n",
    );
    let names = dependencies(flavour)?;
    for name in &names {
        let package = all
            .get(name)
            .with_context(|| format!("no package {name}"))?;
        writeln!(text, "- {name}: {}", package.licence)?;
    }
    if !flavour.has_stock_interpreter() {
        text.push_str("- Lua: MIT\n");
    }
    for name in &names {
        let package = &all[name];
        let texts = texts(&package.dir)?;
        if texts.is_empty() {
            writeln!(
                text,
                "\n## {name}\n\n{}; the package has no file with the text.",
                package.licence
            )?;
        }
        for licence in texts {
            writeln!(text, "\n## {name}\n\n```text\n{}\n```", licence.trim_end())?;
        }
    }
    if !flavour.has_stock_interpreter() {
        writeln!(text, "\n## Lua\n\n```text\n{}\n```", of_lua(&all, flavour)?)?;
    }
    Ok(text)
}

/// All packages of the workspace's lock file, by `name version`.
fn packages() -> Result<BTreeMap<String, Package>> {
    let output = project::cargo()
        .args(["metadata", "--format-version", "1", "--locked"])
        .output()
        .context("cannot run `cargo metadata`")?;
    if !output.status.success() {
        bail!(
            "`cargo metadata` failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let mut found = BTreeMap::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let field = |name: &str| package[name].as_str().unwrap_or_default().to_owned();
        let licence = match field("license") {
            none if none.is_empty() => "see below".to_owned(),
            some => some.replace('/', " OR "),
        };
        let manifest = PathBuf::from(field("manifest_path"));
        let dir = manifest.parent().unwrap_or(&manifest).to_path_buf();
        found.insert(
            format!("{} {}", field("name"), field("version")),
            Package { licence, dir },
        );
    }
    Ok(found)
}

/// The crates that are compiled in, as `name version`: what the module depends
/// on, but for our own and what only runs while building.
fn dependencies(flavour: Flavour) -> Result<Vec<String>> {
    let package = if flavour.has_stock_interpreter() {
        "module"
    } else {
        "cli"
    };
    let mut cmd = project::cargo();
    cmd.args(["tree", "--locked", "-p", package, "--no-default-features"])
        .args(["--features", flavour.feature()])
        .args(["--edges", "normal,no-proc-macro", "--prefix", "none"])
        .args(["--format", "{p}"]);
    let output = cmd.output().context("cannot run `cargo tree`")?;
    if !output.status.success() {
        bail!(
            "`cargo tree` failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let text = String::from_utf8(output.stdout)?;
    let mut names: Vec<String> = text.lines().filter_map(third_party).collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// `name v1.2.3 (*)` -> `name 1.2.3`; nothing for packages with a path: they are
/// ours.
fn third_party(line: &str) -> Option<String> {
    let line = line.trim_end_matches(" (*)");
    let (name, version) = line.split_once(" v")?;
    (!version.contains(' ')).then(|| format!("{name} {version}"))
}

/// The texts of the licence files in a directory.
fn texts(dir: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let known = ["LICENSE", "LICENCE", "COPYING", "NOTICE"];
        if path.is_file()
            && known
                .iter()
                .any(|word| name.to_uppercase().starts_with(word))
        {
            files.push(path);
        }
    }
    files.sort();
    files
        .iter()
        .map(|file| Ok(String::from_utf8_lossy(&std::fs::read(file)?).into_owned()))
        .collect()
}

/// Lua's own: the last comment of its `lua.h`.
fn of_lua(all: &BTreeMap<String, Package>, flavour: Flavour) -> Result<String> {
    let source = all
        .iter()
        .find(|(name, _)| name.starts_with("lua-src "))
        .context("the package lua-src is not there")?;
    let wanted = format!("lua-{flavour}");
    for entry in std::fs::read_dir(&source.1.dir)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !name.starts_with(&wanted) {
            continue;
        }
        let header = std::fs::read_to_string(path.join("lua.h"))?;
        let begin = header.rfind("Copyright (C)");
        let text = begin.and_then(|begin| header[begin..].split("****").next());
        return Ok(text.context("lua.h has no licence")?.trim_end().to_owned());
    }
    bail!("lua-src has no {wanted}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_others() {
        assert_eq!(third_party("libc v0.2.1").as_deref(), Some("libc 0.2.1"));
        assert_eq!(
            third_party("libc v0.2.1 (*)").as_deref(),
            Some("libc 0.2.1")
        );
        assert_eq!(third_party("lane v0.1.0 (/somewhere/lane)"), None);
        assert_eq!(third_party(""), None);
    }
}
