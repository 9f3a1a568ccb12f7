//! What the tests have in C: the modules in `tests/native`, which use
//! `include/lanes.h` as other people's modules would, and the program in
//! `tests/host`, which has several Lua states in one process.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::build::{MODULE_SUFFIX, flavour_dir};
use crate::flavour::Flavour;
use crate::project;

/// Where a module of this name lies once it is built.
pub(crate) fn path(flavour: Flavour, name: &str) -> PathBuf {
    flavour_dir(flavour).join(format!("{name}{MODULE_SUFFIX}"))
}

/// Where the host program lies once it is built.
pub(crate) fn host(flavour: Flavour) -> PathBuf {
    flavour_dir(flavour).join(format!("host{}", std::env::consts::EXE_SUFFIX))
}

/// Builds all of them for a flavour. Without its headers on the machine there
/// are none, and the tests that need them are skipped.
pub(crate) fn build(flavour: Flavour) -> Result<()> {
    let headers = headers(flavour);
    for source in project::files_below(&project::root().join("tests/native"), "c")? {
        let name = source.file_stem().unwrap_or_default().to_string_lossy();
        let target = path(flavour, &name);
        let Some(headers) = &headers else {
            println!("{name}: not built, no headers of Lua {flavour}");
            // What an earlier run has left may be of another version.
            let _ = std::fs::remove_file(&target);
            continue;
        };
        let mut cc = compiler(headers);
        cc.args(["-fPIC", "-shared"]);
        if cfg!(target_os = "macos") {
            // The symbols come from the interpreter.
            cc.args(["-undefined", "dynamic_lookup"]);
        }
        cc.arg(&source).arg("-o").arg(&target);
        project::run(&mut cc)?;
    }
    build_host(flavour, headers.as_deref())
}

/// Needs Lua as a library, so there is none for the vendored 5.5.
fn build_host(flavour: Flavour, headers: Option<&Path>) -> Result<()> {
    let target = host(flavour);
    let (Some(headers), Some(library), true) =
        (headers, flavour.debian_library(), cfg!(target_os = "linux"))
    else {
        let _ = std::fs::remove_file(&target);
        return Ok(());
    };
    let mut cc = compiler(headers);
    cc.arg(project::root().join("tests/host/host.c"));
    cc.arg(format!("-l{library}"));
    cc.args(["-ldl", "-pthread", "-o"]).arg(&target);
    project::run(&mut cc)
}

fn compiler(headers: &Path) -> Command {
    let mut cc = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    cc.args(["-O2", "-g", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(headers);
    cc.arg("-I").arg(project::root().join("include"));
    cc
}

/// The directory with `lua.h`: Debian's, or for 5.5 the one that comes with the
/// vendored interpreter.
pub(crate) fn headers(flavour: Flavour) -> Option<PathBuf> {
    let directory = match flavour {
        Flavour::LuaJit => PathBuf::from("/usr/include/luajit-2.1"),
        Flavour::Lua55 => vendored()?,
        other => PathBuf::from(format!("/usr/include/lua{other}")),
    };
    [directory.join("src"), directory]
        .into_iter()
        .find(|dir| dir.join("lua.h").is_file())
}

/// Where cargo keeps the sources of the vendored 5.5.
fn vendored() -> Option<PathBuf> {
    let output = project::cargo()
        .args(["metadata", "--format-version", "1"])
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let manifest = text
        .split("\"manifest_path\":\"")
        .filter_map(|rest| rest.split('"').next())
        .find(|path| path.contains("lua-src-"))?;
    let sources = std::fs::read_dir(PathBuf::from(manifest).parent()?).ok()?;
    let versions = sources.filter_map(|entry| Some(entry.ok()?.path()));
    versions
        .into_iter()
        .find(|path| path.to_string_lossy().contains("lua-5.5"))
}
