//! Who takes part, and how it is started.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::options::Options;
use super::rows::{Entry, Row};
use super::{peers, run};
use crate::build::{self, Profile};
use crate::flavour::Flavour;
use crate::interpreter::Interpreter;
use crate::project;

/// What a row can be run by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    Rlanes,
    ZmqC,
    ZmqFfi,
    Cqueues,
    Luv,
    /// A Lua state on a thread, made by C.
    Thread,
    /// A Lua state and no thread.
    State,
    Crossbeam,
    Kanal,
    Flume,
    Std,
    ZmqRust,
}

impl Who {
    /// Those that need no Lua.
    pub(crate) const RUST: [Who; 5] = [
        Who::Crossbeam,
        Who::Kanal,
        Who::Flume,
        Who::Std,
        Who::ZmqRust,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Who::Rlanes => "rlanes",
            Who::ZmqC => "zmq-c",
            Who::ZmqFfi => "zmq-ffi",
            Who::Cqueues => "cqueues",
            Who::Luv => "luv",
            Who::Thread => "thread",
            Who::State => "state",
            Who::Crossbeam => "crossbeam",
            Who::Kanal => "kanal",
            Who::Flume => "flume",
            Who::Std => "std",
            Who::ZmqRust => "zmq-rust",
        }
    }
}

/// One line of a row: an entry, and what runs it.
pub(crate) struct Contestant<'a> {
    pub(crate) name: String,
    pub(crate) flavour: Option<Flavour>,
    /// Its interpreter, as that calls itself.
    pub(crate) interpreter: String,
    stand: &'a Stand,
    entry: &'a Entry,
}

/// An interpreter or a program, with those that it can run.
struct Stand {
    runs: Runs,
    version: String,
    has: Vec<Who>,
}

enum Runs {
    /// rlanes and its rivals.
    Lua(Interpreter),
    /// Another module with Lanes' interface: its name and its directory.
    Module(Interpreter, String, PathBuf),
    /// The program with Rust's channels.
    Rust(PathBuf),
}

impl Stand {
    fn flavour(&self) -> Option<Flavour> {
        match &self.runs {
            Runs::Lua(interpreter) | Runs::Module(interpreter, ..) => Some(interpreter.flavour),
            Runs::Rust(_) => None,
        }
    }
}

/// All that can take part on this machine.
pub(crate) struct Field {
    stands: Vec<Stand>,
}

impl Field {
    /// Builds what has to be built, and says what is missing.
    pub(crate) fn assemble(options: &Options) -> Result<Field> {
        let mut stands = Vec::new();
        for &flavour in &options.flavours {
            let Some(interpreter) = interpreter(flavour)? else {
                continue;
            };
            let mut has = vec![Who::Rlanes];
            has.extend(peers::of(&interpreter)?);
            has.retain(|who| *who == Who::Rlanes || options.wants_rival(who.name()));
            let version = version(&interpreter);
            let runs = Runs::Lua(interpreter.clone());
            stands.push(Stand {
                runs,
                version: version.clone(),
                has,
            });
            for (name, directory) in &options.modules {
                stands.extend(module(&interpreter, &version, name, directory));
            }
        }
        if Who::RUST.iter().any(|who| options.wants_rival(who.name())) {
            let (program, mut has) = peers::rust()?;
            has.retain(|who| options.wants_rival(who.name()));
            stands.push(Stand {
                runs: Runs::Rust(program),
                version: "Rust".to_owned(),
                has,
            });
        }
        Ok(Field { stands })
    }

    /// Only rlanes on one interpreter, which has been built.
    pub(crate) fn alone(interpreter: &Interpreter) -> Field {
        let stand = Stand {
            runs: Runs::Lua(interpreter.clone()),
            version: String::new(),
            has: vec![Who::Rlanes],
        };
        Field {
            stands: vec![stand],
        }
    }

    /// Those who can run one of the entries.
    pub(crate) fn of<'a>(&'a self, row: &'a Row) -> Vec<Contestant<'a>> {
        let mut found = Vec::new();
        for stand in &self.stands {
            for entry in &row.entries {
                let name = match &stand.runs {
                    Runs::Module(..) if row.own => continue,
                    Runs::Module(_, name, _) => name.clone(),
                    _ => entry.who.name().to_owned(),
                };
                if stand.has.contains(&entry.who) {
                    found.push(Contestant {
                        name,
                        flavour: stand.flavour(),
                        interpreter: stand.version.clone(),
                        stand,
                        entry,
                    });
                }
            }
        }
        found
    }
}

impl Contestant<'_> {
    /// The flavour and the name.
    pub(crate) fn label(&self) -> String {
        let flavour = self.flavour.map_or("", Flavour::name);
        format!("{flavour:<4} {}", self.name)
    }

    pub(crate) fn command(&self, count: u64) -> Command {
        let mut cmd = match &self.stand.runs {
            Runs::Lua(interpreter) => lua(interpreter),
            Runs::Module(interpreter, _, directory) => {
                let mut cmd = interpreter.command();
                let (file, package) = (directory.join("?.lua"), directory.join("?/init.lua"));
                cmd.env("LUA_PATH", searched(&[file, package, library()]));
                cmd.env("LUA_CPATH", searched(&[so(directory)]));
                cmd
            }
            Runs::Rust(program) => Command::new(program),
        };
        cmd.arg(&self.entry.script)
            .args(&self.entry.args)
            .arg(format!("count={count}"));
        cmd
    }
}

/// An interpreter that finds rlanes, the rivals and what the scripts share.
pub(crate) fn lua(interpreter: &Interpreter) -> Command {
    let own = build::flavour_dir(interpreter.flavour);
    let peers = peers::directory(interpreter.flavour);
    let mut cmd = interpreter.command();
    cmd.env("LUA_PATH", searched(&[library()]));
    cmd.env("LUA_CPATH", searched(&[so(&peers), so(&own)]));
    cmd
}

fn library() -> PathBuf {
    project::root().join("benches/lua/lib/?.lua")
}

fn so(directory: &Path) -> PathBuf {
    directory.join(format!("?{}", build::MODULE_SUFFIX))
}

/// A search path of Lua, with what the interpreter has by itself at the end.
fn searched(templates: &[PathBuf]) -> OsString {
    let mut path = OsString::new();
    for template in templates {
        path.push(template);
        path.push(";");
    }
    path.push(";");
    path
}

/// The interpreter of a flavour, with rlanes built for it.
fn interpreter(flavour: Flavour) -> Result<Option<Interpreter>> {
    if let Some(interpreter) = Interpreter::stock(flavour) {
        println!("building for {}", interpreter.name());
        build::module(flavour, Profile::Release)?;
        return Ok(Some(interpreter));
    }
    if flavour.has_stock_interpreter() {
        println!(
            "no {}: `apt-get install {}`",
            flavour.programs()[0],
            flavour.debian_package().unwrap_or_default()
        );
        return Ok(None);
    }
    println!("building the stand-alone runner, Lua {flavour}");
    build::runner(flavour, Profile::Release)?;
    Ok(Some(Interpreter::runner(flavour)))
}

/// Another module with Lanes' interface, if it loads here. The directory may
/// have one directory for each flavour.
fn module(interpreter: &Interpreter, version: &str, name: &str, directory: &Path) -> Option<Stand> {
    let flavour = interpreter.flavour;
    if !flavour.has_stock_interpreter() {
        println!("{name}: not run on {flavour}, which has its own module inside");
        return None;
    }
    let own = directory.join(flavour.name());
    let directory = if own.is_dir() { &own } else { directory };
    let directory = std::path::absolute(directory).unwrap_or_else(|_| directory.to_path_buf());
    let stand = Stand {
        runs: Runs::Module(interpreter.clone(), name.to_owned(), directory),
        version: version.to_owned(),
        has: vec![Who::Rlanes],
    };
    let entry = Entry {
        who: Who::Rlanes,
        script: "benches/lua/rows/latency.lua".to_owned(),
        args: Vec::new(),
    };
    let probe = Contestant {
        name: name.to_owned(),
        flavour: Some(flavour),
        interpreter: String::new(),
        stand: &stand,
        entry: &entry,
    };
    if let Err(error) = run::once(&probe, 10, None) {
        println!("{name}: not run on {}: {error:#}", interpreter.name());
        return None;
    }
    Some(stand)
}

/// What the interpreter calls itself.
fn version(interpreter: &Interpreter) -> String {
    let text = interpreter.command().arg("-v").output().map(|output| {
        let text = if output.stdout.is_empty() {
            output.stderr
        } else {
            output.stdout
        };
        String::from_utf8_lossy(&text).into_owned()
    });
    let text = text.unwrap_or_default();
    let name = text.split("  ").next().unwrap_or_default();
    name.split(" -- ")
        .next()
        .unwrap_or_default()
        .trim()
        .to_owned()
}
