//! `install`: the module for one interpreter, into directories of its own. What
//! LuaRocks calls, too.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use lexopt::Arg::Long;
use lexopt::ValueExt;

use crate::build::{self, Profile};
use crate::flavour::Flavour;
use crate::interpreter::Interpreter;
use crate::project;

pub(crate) fn main(mut args: lexopt::Parser) -> Result<ExitCode> {
    let mut lua = None;
    let mut lib = None;
    let mut share = None;
    while let Some(arg) = args.next()? {
        match arg {
            Long("lua") => lua = Some(args.value()?.string()?),
            Long("lib") => lib = Some(PathBuf::from(args.value()?)),
            Long("share") => share = Some(PathBuf::from(args.value()?)),
            other => return Err(other.unexpected().into()),
        }
    }
    let flavour = flavour(&lua.context("--lua names the interpreter to install for")?)?;
    let module = build::module(flavour, Profile::Release)?;
    if let Some(lib) = lib {
        put(&module, &lib.join(format!("lanes{}", build::MODULE_SUFFIX)))?;
    }
    if let Some(share) = share {
        for file in shared_files()? {
            // LuaRocks takes a directory `lua` for one of modules.
            let to = file.strip_prefix("lua").unwrap_or(&file);
            put(&project::root().join(&file), &share.join(to))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The flavour of an interpreter that is given by its path or its name.
fn flavour(lua: &str) -> Result<Flavour> {
    let program = if Path::new(lua).is_absolute() {
        PathBuf::from(lua)
    } else {
        project::which(lua).with_context(|| format!("no {lua} in PATH"))?
    };
    Interpreter::flavour_of(&program)
}

/// What goes along with the module, as paths below the root: the definitions
/// for editors and the C interface.
pub(crate) fn shared_files() -> Result<Vec<PathBuf>> {
    let root = project::root();
    let mut files = project::files_below(&root.join("lua/library"), "lua")?;
    files.extend(project::files_below(&root.join("include"), "h")?);
    if files.is_empty() {
        bail!("lua/library and include are missing");
    }
    let below = |file: PathBuf| file.strip_prefix(&root).map(Path::to_path_buf);
    Ok(files.into_iter().map(below).collect::<Result<_, _>>()?)
}

/// Copies a file and makes the directories that it needs.
pub(crate) fn put(from: &Path, to: &Path) -> Result<()> {
    let copy = || -> Result<()> {
        std::fs::create_dir_all(to.parent().context("no directory")?)?;
        std::fs::copy(from, to)?;
        Ok(())
    };
    copy().with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
}
