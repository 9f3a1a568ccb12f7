//! Builds the module and the stand-alone runner, one target directory per
//! flavour: cargo unifies features over what it builds together.
//!
//! Tests use the release profile, link-time optimisation and all: what is
//! tested is what ships, and races and miscompilations show only there.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::flavour::Flavour;
use crate::project;

/// What an interpreter's `package.cpath` expects.
pub(crate) const MODULE_SUFFIX: &str = if cfg!(windows) { ".dll" } else { ".so" };

/// The profile to build with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    Release,
    Debug,
}

/// Cargo's target directory for one flavour, below the one that the environment
/// names.
pub(crate) fn cargo_dir(flavour: Flavour) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| project::root().join("target"), PathBuf::from);
    target.join("cargo").join(flavour.name())
}

/// Where the finished files of one flavour lie.
pub(crate) fn flavour_dir(flavour: Flavour) -> PathBuf {
    project::root().join("target/flavours").join(flavour.name())
}

/// The module file of one flavour.
pub(crate) fn module_path(flavour: Flavour) -> PathBuf {
    flavour_dir(flavour).join(format!("lanes{MODULE_SUFFIX}"))
}

/// The module with panics on demand, beside the one that ships.
pub(crate) fn faults_path(flavour: Flavour) -> PathBuf {
    flavour_dir(flavour).join(format!("faults/lanes{MODULE_SUFFIX}"))
}

/// The stand-alone runner of one flavour.
pub(crate) fn runner_path(flavour: Flavour) -> PathBuf {
    flavour_dir(flavour).join(format!("lanes{}", std::env::consts::EXE_SUFFIX))
}

/// Builds `lanes.so`. Needs no Lua on the machine: the symbols come from the
/// interpreter that loads it.
pub(crate) fn module(flavour: Flavour, profile: Profile) -> Result<PathBuf> {
    let built = format!(
        "{}lanes_module{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    );
    cargo_build(flavour, profile, &["-p", "module"])?;
    install(flavour, profile, &built, module_path(flavour))
}

/// Builds the module with panics on demand: an example of the package, so that
/// cargo's output is another file, while what it depends upon is built once.
pub(crate) fn faults(flavour: Flavour, profile: Profile) -> Result<PathBuf> {
    let built = format!(
        "examples/{}lanes_faults{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    );
    let example = ["-p", "module", "--example", "lanes_faults"];
    let features = ["--features", "faults"];
    cargo_build(flavour, profile, &[&example[..], &features[..]].concat())?;
    install(flavour, profile, &built, faults_path(flavour))
}

/// Builds the interpreter `lanes` with Lua inside.
pub(crate) fn runner(flavour: Flavour, profile: Profile) -> Result<PathBuf> {
    let built = format!("lanes{}", std::env::consts::EXE_SUFFIX);
    cargo_build(flavour, profile, &["-p", "cli", "--no-default-features"])?;
    install(flavour, profile, &built, runner_path(flavour))
}

fn cargo_build(flavour: Flavour, profile: Profile, package: &[&str]) -> Result<()> {
    let mut cmd = project::cargo();
    cmd.args(["build", "--quiet"])
        .args(package)
        .args(["--features", flavour.feature()]);
    cmd.arg("--target-dir").arg(cargo_dir(flavour));
    if profile == Profile::Release {
        cmd.arg("--release");
    }
    project::run(&mut cmd)
}

/// Copies to a temporary name and renames, so that an interpreter which is
/// loading the old file never sees half of the new one.
fn install(flavour: Flavour, profile: Profile, built: &str, to: PathBuf) -> Result<PathBuf> {
    let profile_dir = match profile {
        Profile::Release => "release",
        Profile::Debug => "debug",
    };
    let from = cargo_dir(flavour).join(profile_dir).join(built);
    replace(&from, &to).with_context(|| format!("cannot put {} in place", to.display()))?;
    Ok(to)
}

fn replace(from: &Path, to: &Path) -> Result<()> {
    let dir = to.parent().context("no directory")?;
    std::fs::create_dir_all(dir)?;
    let temporary = to.with_extension(format!("new.{}", std::process::id()));
    std::fs::copy(from, &temporary)?;
    std::fs::rename(&temporary, to)?;
    Ok(())
}
