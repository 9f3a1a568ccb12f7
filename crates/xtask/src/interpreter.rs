//! An interpreter that runs Lua code with the module of its flavour.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::flavour::Flavour;
use crate::{build, process, project};

/// A program, and where its module is found.
#[derive(Clone)]
pub(crate) struct Interpreter {
    pub(crate) flavour: Flavour,
    pub(crate) program: PathBuf,
    /// `LUA_CPATH`; None for the stand-alone runner, which has the module inside.
    cpath: Option<OsString>,
}

impl Interpreter {
    /// The system's own interpreter of this flavour, if there is one.
    pub(crate) fn stock(flavour: Flavour) -> Option<Interpreter> {
        let program = flavour
            .programs()
            .iter()
            .filter_map(|name| project::which(name))
            .find(|program| is_of(program, flavour))?;
        Some(Interpreter {
            flavour,
            program,
            cpath: Some(cpath(flavour)),
        })
    }

    /// What some interpreter says of itself.
    pub(crate) fn flavour_of(program: &Path) -> Result<Flavour> {
        Flavour::ALL
            .into_iter()
            .find(|flavour| flavour.has_stock_interpreter() && is_of(program, *flavour))
            .with_context(|| {
                format!(
                    "{} is no interpreter that the module can be built for",
                    program.display()
                )
            })
    }

    /// The stand-alone runner that `build::runner` made.
    pub(crate) fn runner(flavour: Flavour) -> Interpreter {
        Interpreter::at(flavour, build::runner_path(flavour))
    }

    /// A stand-alone runner that lies elsewhere.
    pub(crate) fn at(flavour: Flavour, program: PathBuf) -> Interpreter {
        Interpreter {
            flavour,
            program,
            cpath: None,
        }
    }

    /// Its name in messages.
    pub(crate) fn name(&self) -> String {
        match self.cpath {
            Some(_) => self
                .program
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            None => format!("lanes {}", self.flavour),
        }
    }

    /// The program without arguments, in an environment that says nothing else
    /// about Lua than where the module is.
    pub(crate) fn command(&self) -> Command {
        let mut cmd = Command::new(&self.program);
        self.set_env(&mut cmd);
        cmd
    }

    /// Gives the environment of [`command`](Self::command) to a program that
    /// starts the interpreter, or takes its place.
    pub(crate) fn set_env(&self, cmd: &mut Command) {
        clear_lua_env(cmd);
        // The runner has lanes inside, but not the C modules of the tests.
        cmd.env(
            "LUA_CPATH",
            self.cpath.clone().unwrap_or_else(|| cpath(self.flavour)),
        );
        cmd.current_dir(project::root());
    }

    /// Whether a library can be required.
    pub(crate) fn can_require(&self, library: &str) -> bool {
        let mut cmd = self.command();
        cmd.arg("-e").arg(format!("require {library:?}"));
        process::run(&mut cmd, Duration::from_secs(30), None)
            .is_ok_and(|outcome| outcome.ended == process::Ended::Exit(0))
    }
}

/// Where a flavour's modules are found.
fn cpath(flavour: Flavour) -> OsString {
    let mut cpath = build::flavour_dir(flavour).into_os_string();
    cpath.push(format!("/?{};;", build::MODULE_SUFFIX));
    cpath
}

fn clear_lua_env(cmd: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if ["LUA_INIT", "LUA_PATH", "LUA_CPATH", "LANES_API"]
            .iter()
            .any(|p| text.starts_with(p))
        {
            cmd.env_remove(&name);
        }
    }
}

fn is_of(program: &Path, flavour: Flavour) -> bool {
    version(program).is_ok_and(|found| found == (flavour.version(), flavour.is_jit()))
}

/// Asks the program what it is: language version, and whether it is LuaJIT.
fn version(program: &Path) -> Result<((u32, u32), bool)> {
    let mut cmd = Command::new(program);
    clear_lua_env(&mut cmd);
    cmd.args(["-e", "io.write(_VERSION, jit and ' jit' or '')"]);
    let outcome = process::run(&mut cmd, Duration::from_secs(30), None)?;
    let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
    let mut words = text.split_whitespace().skip(1);
    let number = words.next().and_then(|v| v.split_once('.'));
    let number = number.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    let number = number.ok_or_else(|| anyhow::anyhow!("{} is no Lua", program.display()))?;
    Ok((number, words.next() == Some("jit")))
}
