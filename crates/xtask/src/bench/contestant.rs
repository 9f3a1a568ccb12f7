//! Who takes part, and how it is started.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use super::options::Options;
use super::peers;
use super::rows::Entry;
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
}

impl Who {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Who::Rlanes => "rlanes",
            Who::ZmqC => "zmq-c",
            Who::ZmqFfi => "zmq-ffi",
        }
    }
}

/// One line of a row: an entry on an interpreter.
pub(crate) struct Contestant<'a> {
    pub(crate) name: String,
    pub(crate) flavour: Option<Flavour>,
    pub(crate) interpreter: String,
    place: &'a Place,
    entry: &'a Entry,
}

/// An interpreter or the like, with the names of those that it can run.
struct Place {
    interpreter: Interpreter,
    version: String,
    /// `None` is rlanes itself.
    module: Option<(String, PathBuf)>,
    has: Vec<Who>,
}

/// All that can take part on this machine.
pub(crate) struct Field {
    places: Vec<Place>,
}

impl Field {
    /// Builds what has to be built, and says what is missing.
    pub(crate) fn assemble(options: &Options) -> Result<Field> {
        let mut places = Vec::new();
        for &flavour in &options.flavours {
            let Some(interpreter) = interpreter(flavour)? else {
                continue;
            };
            let mut has = vec![Who::Rlanes];
            has.extend(peers::build(&interpreter)?);
            has.retain(|who| *who == Who::Rlanes || options.wants_rival(who.name()));
            let version = version(&interpreter);
            for (name, directory) in &options.modules {
                places.extend(module(&interpreter, &version, name, directory));
            }
            places.push(Place {
                interpreter,
                version,
                module: None,
                has,
            });
        }
        // rlanes first, then the modules.
        places.sort_by_key(|place| (place.interpreter.flavour, place.module.is_some()));
        Ok(Field { places })
    }

    /// Those who can run one of the entries.
    pub(crate) fn of<'a>(&'a self, entries: &'a [Entry]) -> Vec<Contestant<'a>> {
        let mut found = Vec::new();
        for place in &self.places {
            for entry in entries
                .iter()
                .filter(|entry| place.has.contains(&entry.who))
            {
                let name = match &place.module {
                    Some((name, _)) => name.clone(),
                    None => entry.who.name().to_owned(),
                };
                found.push(Contestant {
                    name,
                    flavour: Some(place.interpreter.flavour),
                    interpreter: place.version.clone(),
                    place,
                    entry,
                });
            }
        }
        found
    }
}

impl Contestant<'_> {
    pub(crate) fn is_rlanes(&self) -> bool {
        self.entry.who == Who::Rlanes && self.place.module.is_none()
    }

    /// The flavour and the name.
    pub(crate) fn label(&self) -> String {
        let flavour = self.flavour.map_or("", Flavour::name);
        format!("{flavour:<4} {}", self.name)
    }

    pub(crate) fn command(&self, count: u64) -> Command {
        let mut cmd = self.place.interpreter.command();
        let library = project::root().join("benches/lua/lib/?.lua");
        let (path, cpath) = match &self.place.module {
            None => {
                let flavour = self.place.interpreter.flavour;
                let own = build::flavour_dir(flavour);
                let peers = peers::directory(flavour);
                (searched(&[&library]), searched(&[&so(&peers), &so(&own)]))
            }
            Some((_, directory)) => (
                searched(&[
                    &directory.join("?.lua"),
                    &directory.join("?/init.lua"),
                    &library,
                ]),
                searched(&[&so(directory)]),
            ),
        };
        cmd.env("LUA_PATH", path).env("LUA_CPATH", cpath);
        cmd.arg(&self.entry.script)
            .args(&self.entry.args)
            .arg(format!("count={count}"));
        cmd
    }
}

fn so(directory: &std::path::Path) -> PathBuf {
    directory.join(format!("?{}", build::MODULE_SUFFIX))
}

/// A search path of Lua, with what the interpreter has by itself at the end.
fn searched(templates: &[&PathBuf]) -> OsString {
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
fn module(
    interpreter: &Interpreter,
    version: &str,
    name: &str,
    directory: &std::path::Path,
) -> Option<Place> {
    let flavour = interpreter.flavour;
    let own = directory.join(flavour.name());
    let directory = if own.is_dir() {
        own
    } else {
        directory.to_path_buf()
    };
    let directory = std::path::absolute(&directory).unwrap_or(directory);
    let place = Place {
        interpreter: interpreter.clone(),
        version: version.to_owned(),
        module: Some((name.to_owned(), directory)),
        has: vec![Who::Rlanes],
    };
    if !flavour.has_stock_interpreter() {
        println!("{name}: not run on {flavour}, which has its own module inside");
        return None;
    }
    let probe = Entry {
        who: Who::Rlanes,
        script: "benches/lua/rows/latency.lua".to_owned(),
        args: Vec::new(),
    };
    let contestant = Contestant {
        name: name.to_owned(),
        flavour: Some(flavour),
        interpreter: version.to_owned(),
        place: &place,
        entry: &probe,
    };
    match super::run::once(&contestant, 10, None) {
        Ok(_) => Some(place),
        Err(error) => {
            println!("{name}: not run on {}: {error:#}", interpreter.name());
            None
        }
    }
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
