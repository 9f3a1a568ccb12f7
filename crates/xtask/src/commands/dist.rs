//! `dist`: one archive for each flavour, to be unpacked anywhere.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use lexopt::Arg::{Long, Short};
use lexopt::ValueExt;

use super::install::{put, shared_files};
use crate::build::{self, Profile};
use crate::flavour::{self, Flavour};
use crate::licences;
use crate::project;

pub(crate) fn main(mut args: lexopt::Parser) -> Result<ExitCode> {
    let mut flavours = Vec::new();
    while let Some(arg) = args.next()? {
        match arg {
            Long("flavour") | Short('f') => flavour::add(&mut flavours, &args.value()?.string()?)?,
            other => return Err(other.unexpected().into()),
        }
    }
    if flavours.is_empty() {
        flavours = Flavour::ALL.to_vec();
    }
    for flavour in flavours {
        println!("{}", project::relative(&archive(flavour)?));
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds a flavour and packs it with all that belongs to it.
pub(crate) fn archive(flavour: Flavour) -> Result<PathBuf> {
    let built = if flavour.has_stock_interpreter() {
        build::module(flavour, Profile::Release)?
    } else {
        build::runner(flavour, Profile::Release)?
    };
    let name = name(flavour);
    let dist = project::root().join("target/dist");
    let tree = dist.join(&name);
    if tree.exists() {
        std::fs::remove_dir_all(&tree)?;
    }
    put(&built, &tree.join(built.file_name().context("no file")?))?;
    for file in documents()? {
        put(&project::root().join(&file), &tree.join(&file))?;
    }
    std::fs::write(
        tree.join("THIRD-PARTY-LICENCES.md"),
        licences::listing(flavour)?,
    )?;
    let archive = dist.join(format!("{name}.tar.gz"));
    project::run(
        Command::new("tar")
            .arg("-C")
            .arg(&dist)
            .arg("-czf")
            .arg(&archive)
            .arg(&name),
    )?;
    std::fs::remove_dir_all(&tree)?;
    Ok(archive)
}

/// `rlanes-VERSION-lua5.4-x86_64-linux`
fn name(flavour: Flavour) -> String {
    let lua = if flavour.is_jit() {
        "luajit".to_owned()
    } else {
        format!("lua{flavour}")
    };
    format!(
        "rlanes-{}-{lua}-{}-{}",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS
    )
}

/// Everything but the module itself, as paths below the root.
fn documents() -> Result<Vec<PathBuf>> {
    let root = project::root();
    let mut files = shared_files()?;
    for (dir, extension) in [("docs", "md"), ("examples", "lua")] {
        for file in project::files_below(&root.join(dir), extension)? {
            files.push(file.strip_prefix(&root)?.to_path_buf());
        }
    }
    let single = ["README.md", "CHANGELOG.md", "LICENSE"].map(Path::new);
    files.extend(single.map(Path::to_path_buf));
    Ok(files)
}
