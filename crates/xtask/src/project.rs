//! Where things lie, and how cargo is called.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// The workspace's root directory.
pub(crate) fn root() -> PathBuf {
    // Cargo sets the variable at run time too, so a moved checkout still works.
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    let root = manifest.parent().and_then(Path::parent);
    root.map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Shared material that may lie beside the checkout: classic scripts, field cases.
pub(crate) fn shared() -> Option<PathBuf> {
    let path = root().parent()?.join("shared");
    path.is_dir().then_some(path)
}

/// `path` as seen from the root, for messages.
pub(crate) fn relative(path: &Path) -> String {
    let root = root();
    path.strip_prefix(&root)
        .unwrap_or(path)
        .display()
        .to_string()
}

/// A cargo command in the root, free of what the outer `cargo run` put into
/// the environment (it would make build scripts run again).
pub(crate) fn cargo() -> Command {
    let mut cmd = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cmd.current_dir(root());
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            cmd.env_remove(&name);
        }
    }
    cmd
}

/// The command as one would type it.
pub(crate) fn shown(cmd: &Command) -> String {
    let program = Path::new(cmd.get_program()).file_stem().unwrap_or_default();
    let mut text = program.to_string_lossy().into_owned();
    for arg in cmd.get_args() {
        text.push(' ');
        text.push_str(&arg.to_string_lossy());
    }
    text
}

/// Runs a command to its end with our own input and output.
pub(crate) fn run(cmd: &mut Command) -> Result<()> {
    let text = shown(cmd);
    let status = cmd
        .status()
        .with_context(|| format!("cannot run `{text}`"))?;
    if !status.success() {
        bail!("`{text}` failed ({status})");
    }
    Ok(())
}

/// Runs a command to its end and shows what it prints only if it fails.
pub(crate) fn run_quietly(cmd: &mut Command) -> Result<()> {
    let text = shown(cmd);
    let output = cmd
        .output()
        .with_context(|| format!("cannot run `{text}`"))?;
    if !output.status.success() {
        bail!(
            "`{text}` failed ({}): {}{}",
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(())
}

/// Finds a program in PATH.
pub(crate) fn which(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .flat_map(|dir| {
            [
                dir.join(name),
                dir.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)),
            ]
        })
        .find(|file| is_program(file))
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

/// All files below `dir` with this extension, sorted.
pub(crate) fn files_below(dir: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut found = all_files_below(dir)?;
    found.retain(|path| path.extension().is_some_and(|e| e == extension));
    Ok(found)
}

/// All files below `dir`, sorted; none if there is no such directory.
pub(crate) fn all_files_below(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    if !dir.is_dir() {
        return Ok(found);
    }
    let mut open = vec![dir.to_path_buf()];
    while let Some(dir) = open.pop() {
        let entries =
            std::fs::read_dir(&dir).with_context(|| format!("cannot list {}", dir.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
