//! The command line of `bench`.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use lexopt::Arg::{Long, Short};
use lexopt::ValueExt;

use crate::flavour::{self, Flavour};

/// How long one run of a workload is to take, roughly.
const RUN: Duration = Duration::from_millis(200);
const QUICK_RUN: Duration = Duration::from_millis(20);

/// Oldest, newest stock, fastest.
const DEFAULT: [Flavour; 3] = [Flavour::Lua51, Flavour::Lua54, Flavour::LuaJit];

/// Fewer runs than this are no measurement.
const RUNS: usize = 5;

/// What was asked for.
pub(crate) struct Options {
    /// Rows whose name has one of these in it; all if empty.
    only: Vec<String>,
    pub(crate) flavours: Vec<Flavour>,
    pub(crate) runs: usize,
    pub(crate) quick: bool,
    /// Whether only some flavours were asked for.
    some: bool,
    no_write: bool,
    pub(crate) list: bool,
    /// Other modules with Lanes' interface: name and directory.
    pub(crate) modules: Vec<(String, PathBuf)>,
    /// Only these contestants beside rlanes; all if empty.
    pub(crate) rivals: Vec<String>,
}

impl Options {
    pub(crate) fn parse(mut args: lexopt::Parser) -> Result<Options> {
        let mut options = Options {
            only: Vec::new(),
            flavours: Vec::new(),
            runs: 0,
            quick: false,
            some: false,
            no_write: false,
            list: false,
            modules: Vec::new(),
            rivals: Vec::new(),
        };
        while let Some(arg) = args.next()? {
            match arg {
                Long("only") => options.only.push(args.value()?.string()?),
                Long("flavour") | Short('f') => {
                    flavour::add(&mut options.flavours, &args.value()?.string()?)?;
                }
                Long("runs") => {
                    options.runs = args.value()?.parse()?;
                    if options.runs == 0 {
                        bail!("--runs: at least 1");
                    }
                }
                Long("quick") => options.quick = true,
                Long("no-write") => options.no_write = true,
                Long("list") => options.list = true,
                Long("with-module") => {
                    let text = args.value()?.string()?;
                    let (name, path) = text
                        .split_once('=')
                        .context("--with-module: NAME=DIRECTORY is wanted")?;
                    options.modules.push((name.to_owned(), path.into()));
                }
                Long("rival") => options.rivals.push(args.value()?.string()?),
                other => return Err(other.unexpected().into()),
            }
        }
        if options.runs == 0 {
            options.runs = if options.quick { 1 } else { RUNS };
        }
        if options.flavours.is_empty() {
            options.flavours = DEFAULT.to_vec();
        }
        options.some = !DEFAULT.iter().all(|f| options.flavours.contains(f));
        Ok(options)
    }

    pub(crate) fn wants(&self, row: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|text| row.contains(text.as_str()))
    }

    pub(crate) fn wants_rival(&self, name: &str) -> bool {
        self.rivals.is_empty() || self.rivals.iter().any(|wanted| name == wanted)
    }

    /// Whether the figures are good enough to be kept: a row is written with
    /// all that belongs to it, or not at all.
    pub(crate) fn writes(&self) -> bool {
        let whole = !self.some && self.rivals.is_empty();
        whole && !self.quick && !self.no_write && self.runs >= RUNS
    }

    /// How long one run is to take.
    pub(crate) fn run_time(&self) -> Duration {
        if self.quick { QUICK_RUN } else { RUN }
    }
}
