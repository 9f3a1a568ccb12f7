//! What is given away works where it comes to: `luarocks make` in a clean tree,
//! and the archives of `dist`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::commands::dist;
use crate::flavour::Flavour;
use crate::interpreter::Interpreter;
use crate::project;
use crate::tally::Tally;

/// The flavour that is built from a copy of the tree that has nothing but the
/// project's files. The others are built where they are: their files are the
/// same, and they are compiled already.
const FROM_CLEAN_TREE: Flavour = Flavour::Lua54;

/// Both checks, for each flavour whose interpreter is there.
pub(crate) fn check(flavours: &[Flavour], tally: &Tally) {
    for &flavour in flavours {
        let report = |what: &str, result: Result<()>| {
            let name = format!("[{flavour}] {what}");
            match result {
                Ok(()) => tally.pass(name, ""),
                Err(error) => tally.fail(name, format!("{error:#}"), ""),
            }
        };
        println!("== package {flavour}");
        report("dist", archive(flavour));
        match Interpreter::stock(flavour) {
            None => {}
            Some(_) if project::which("luarocks").is_none() => {
                tally.skip(format!("[{flavour}] luarocks"), "no luarocks in PATH");
            }
            Some(interpreter) => report("luarocks", rock(&interpreter)),
        }
    }
}

/// Installs with LuaRocks into a fresh tree, and requires the module from there.
fn rock(interpreter: &Interpreter) -> Result<()> {
    let flavour = interpreter.flavour;
    let work = fresh(&project::root().join("target/rock").join(flavour.name()))?;
    let tree = work.join("tree");
    let source = if flavour == FROM_CLEAN_TREE {
        clean_tree()?
    } else {
        project::root()
    };
    let (major, minor) = flavour.version();
    let version = format!("{major}.{minor}");
    let mut cmd = Command::new("luarocks");
    cmd.args(["--lua-version", &version, "make", "--tree"])
        .arg(&tree);
    if flavour.is_jit() {
        let mut lua = std::ffi::OsString::from("LUA=");
        lua.push(&interpreter.program);
        cmd.arg(lua);
    }
    cmd.current_dir(&source);
    if flavour == FROM_CLEAN_TREE {
        // Outside of the tree, so that it stays clean; and not the directory of
        // the original: cargo takes the two for the same.
        cmd.env(
            "CARGO_TARGET_DIR",
            project::root().join("target/rock/cargo"),
        );
    }
    for name in ["CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH"] {
        cmd.env_remove(name);
    }
    project::run_quietly(&mut cmd)?;
    let share = tree.join(format!("lib/luarocks/rocks-{version}/rlanes/scm-1"));
    for file in ["library/lanes.lua", "include/lanes.h", "docs/manual.md"] {
        if !share.join(file).exists() {
            bail!("the rock has no {file}");
        }
    }
    says_its_version(interpreter, &tree.join(format!("lib/lua/{version}")))
}

/// Unpacks the archive and runs what is in it.
fn archive(flavour: Flavour) -> Result<()> {
    let archive = dist::archive(flavour)?;
    let work = fresh(&project::root().join("target/dist/check"))?;
    project::run(
        Command::new("tar")
            .arg("-C")
            .arg(&work)
            .arg("-xzf")
            .arg(&archive),
    )?;
    let name = archive
        .file_name()
        .and_then(|name| name.to_str())
        .and_then(|name| name.strip_suffix(".tar.gz"))
        .context("the archive has no name")?;
    let tree = work.join(name);
    let licences = std::fs::read_to_string(tree.join("THIRD-PARTY-LICENCES.md"))?;
    for needed in [
        "## mlua ",
        "## parking_lot ",
        "Permission is hereby granted",
    ] {
        if !licences.contains(needed) {
            bail!("the list of licences has no `{needed}`");
        }
    }
    for file in [
        "LICENSE",
        "README.md",
        "include/lanes.h",
        "lua/library/lanes.lua",
        "docs/manual.md",
        "examples/pipeline.lua",
    ] {
        if !tree.join(file).exists() {
            bail!("the archive has no {file}");
        }
    }
    let interpreter = if flavour.has_stock_interpreter() {
        Interpreter::stock(flavour)
    } else {
        Some(Interpreter::at(flavour, tree.join("lanes")))
    };
    match interpreter {
        Some(interpreter) => says_its_version(&interpreter, &tree),
        None => Ok(()),
    }
}

/// Whether the module in `dir` can be required, in an empty directory, and is
/// of this version.
fn says_its_version(interpreter: &Interpreter, dir: &Path) -> Result<()> {
    let empty = fresh(&project::root().join("target/dist/empty"))?;
    let mut cpath = dir.as_os_str().to_owned();
    cpath.push("/?.so;;");
    let mut cmd = interpreter.command();
    cmd.args(["-e", r#"io.write(require "lanes".ABOUT.version)"#])
        .env("LUA_CPATH", cpath)
        .current_dir(&empty);
    let output = cmd.output().context("cannot run the interpreter")?;
    let said = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() || said != env!("CARGO_PKG_VERSION") {
        bail!(
            "the module said `{said}`: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(())
}

/// A copy of all files of the project, and of nothing that was built. What has
/// not changed since the last time is left alone, so that cargo sees no change.
fn clean_tree() -> Result<PathBuf> {
    let root = project::root();
    let copy = root.join("target/rock/source");
    let mut git = Command::new("git");
    git.current_dir(&root).args([
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]);
    let output = git.output().context("cannot run git")?;
    if !output.status.success() {
        bail!("git does not list the files: the project is no checkout");
    }
    let text = String::from_utf8(output.stdout)?;
    let files: Vec<&Path> = text.split_terminator('\0').map(Path::new).collect();
    for file in project::all_files_below(&copy)? {
        let gone = file
            .strip_prefix(&copy)
            .is_ok_and(|path| !files.contains(&path) || !root.join(path).exists());
        if gone {
            std::fs::remove_file(&file)?;
        }
    }
    for file in files {
        let (from, to) = (root.join(file), copy.join(file));
        if !from.exists() {
            continue; // removed, and not committed yet
        }
        let content = std::fs::read(&from)?;
        if std::fs::read(&to).is_ok_and(|old| old == content) {
            continue;
        }
        std::fs::create_dir_all(to.parent().context("no directory")?)?;
        std::fs::write(&to, content)?;
    }
    Ok(copy)
}

/// The directory, empty.
fn fresh(dir: &Path) -> Result<PathBuf> {
    if dir.exists() {
        std::fs::remove_dir_all(dir)?;
    }
    std::fs::create_dir_all(dir)?;
    Ok(dir.to_path_buf())
}
