//! Opening the module in a state, and configuring it from Rust.

use std::time::Duration;

use lane::Fallback;
use lane::raw::Generation;
use mlua::{Function, Lua, Table};

use super::raw;
use crate::entry;

/// Opens the module in a state and answers its table, the same that scripts of
/// the state get from `require "lanes"`: the state needs the libraries base,
/// string and table. If it has the package library, `require` finds the module
/// from now on.
///
/// Scripts may still call `lanes.configure`. To do that from Rust, use a
/// [`Config`].
///
/// ```
/// # fn main() -> mlua::Result<()> {
/// let lua = mlua::Lua::new();
/// let lanes = lanes::open(&lua)?;
/// lua.globals().set("lanes", lanes)?;
/// let sum: i64 = lua
///     .load("return lanes.gen('*', function(a, b) return a + b end)(40, 2)[1]")
///     .eval()?;
/// assert_eq!(sum, 42);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// A library is missing, or memory.
pub fn open(lua: &Lua) -> mlua::Result<Table> {
    open_as(lua, entry::open)
}

fn open_as(lua: &Lua, open: mlua::ffi::lua_CFunction) -> mlua::Result<Table> {
    // SAFETY: Lua may call the entry points in any state.
    unsafe { lua.create_c_function(open) }?.call(())
}

/// Lets the scripts of an embedded Lua `require` the module under all its
/// names, without a file to be found. Nothing is opened yet: a state whose
/// scripts do not ask for the module does not pay for it.
///
/// ```
/// # fn main() -> mlua::Result<()> {
/// let lua = mlua::Lua::new();
/// lanes::preload(&lua)?;
/// let version: String = lua.load("return require('lanes').ABOUT.version").eval()?;
/// assert_eq!(version, env!("CARGO_PKG_VERSION"));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// When the state has no package library, or no memory.
pub fn preload(lua: &Lua) -> mlua::Result<()> {
    let package: Table = lua.globals().get("package")?;
    let preload: Table = package.get("preload")?;
    for (name, open) in [
        ("lanes", entry::open as mlua::ffi::lua_CFunction),
        ("lanes.v2", entry::open_v2),
        ("lanes.v3", entry::open_v3),
        ("lanes.v4", entry::open_v4),
    ] {
        // SAFETY: these are functions that Lua may call in any state.
        preload.set(name, unsafe { lua.create_c_function(open)? })?;
    }
    Ok(())
}

/// What `lanes.configure` takes, from Rust. What is not set is as if `configure`
/// were called without it; settings that have no effect here are left out.
///
/// ```
/// use std::time::Duration;
///
/// # fn main() -> mlua::Result<()> {
/// let lua = mlua::Lua::new();
/// lanes::Config::new()
///     .shutdown_timeout(Duration::from_secs(2))
///     .track_lanes(true)
///     .open(&lua)?;
/// lua.load("assert(require('lanes').threads)").exec()?;
///
/// let wrong = lanes::Config::new().shutdown_timeout(Duration::from_secs(7200));
/// let error = wrong.open(&mlua::Lua::new()).unwrap_err();
/// assert!(error.to_string().contains("shutdown_timeout"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "nothing is configured before `open`"]
pub struct Config {
    generation: Option<Generation>,
    shutdown_timeout: Option<Duration>,
    strip_functions: Option<bool>,
    track_lanes: Option<bool>,
    verbose_errors: Option<bool>,
    with_timers: Option<bool>,
    convert_fallback: Option<Fallback>,
    convert_max_attempts: Option<u32>,
    linda_wake_period: Option<Duration>,
    on_state_create: Option<Function>,
}

impl Config {
    /// Nothing is set.
    pub fn new() -> Config {
        Config::default()
    }

    /// Which interface scripts find: that of Lanes 2.x, 3.x or 4.x (the
    /// default). The one of 2.x takes no other settings.
    pub fn generation(mut self, generation: Generation) -> Config {
        self.generation = Some(generation);
        self
    }

    /// How long each step of the shutdown may take, when the state closes; up
    /// to an hour. The default is a quarter of a second.
    pub fn shutdown_timeout(mut self, timeout: Duration) -> Config {
        self.shutdown_timeout = Some(timeout);
        self
    }

    /// Whether functions travel without their debug information (the default).
    pub fn strip_functions(mut self, strip: bool) -> Config {
        self.strip_functions = Some(strip);
        self
    }

    /// Whether `lanes.threads` lists all lanes.
    pub fn track_lanes(mut self, track: bool) -> Config {
        self.track_lanes = Some(track);
        self
    }

    /// Whether errors name the place of a value that cannot travel as Lanes
    /// does, too.
    pub fn verbose_errors(mut self, verbose: bool) -> Config {
        self.verbose_errors = Some(verbose);
        self
    }

    /// Whether the thread for timers is started at once. Off in 4.x by default:
    /// it then starts with the first timer.
    pub fn with_timers(mut self, timers: bool) -> Config {
        self.with_timers = Some(timers);
        self
    }

    /// What becomes of tables and userdata that do not say themselves how they
    /// are converted. By default they travel as they are.
    pub fn convert_fallback(mut self, fallback: Fallback) -> Config {
        self.convert_fallback = Some(fallback);
        self
    }

    /// How often in a row one value may be converted: 1 (the default) to 9.
    pub fn convert_max_attempts(mut self, attempts: u32) -> Config {
        self.convert_max_attempts = Some(attempts);
        self
    }

    /// How long calls that block on a linda wait, at most, before they look for
    /// cancel requests that came without a wake-up. By default they do not look.
    pub fn linda_wake_period(mut self, period: Duration) -> Config {
        self.linda_wake_period = Some(period);
        self
    }

    /// A function that is called in every new state before anything else runs
    /// there. It must be able to travel: a Lua function, or one of C that can be
    /// found by name.
    pub fn on_state_create(mut self, function: Function) -> Config {
        self.on_state_create = Some(function);
        self
    }

    /// Opens the module in a state with these settings; see [`open`].
    ///
    /// # Errors
    ///
    /// A setting is wrong, or unknown to the generation; the module is
    /// configured already in this state, or speaks another generation there;
    /// or as for [`open`].
    pub fn open(&self, lua: &Lua) -> mlua::Result<Table> {
        if raw::is_configured(lua)? {
            return Err(mlua::Error::runtime(
                "lanes is configured already in this state",
            ));
        }
        let settings = self.table(lua)?;
        let generation = self.generation.unwrap_or(Generation::V4);
        let module = open_as(
            lua,
            match self.generation {
                None => entry::open,
                Some(Generation::V2) => entry::open_v2,
                Some(Generation::V3) => entry::open_v3,
                Some(Generation::V4) => entry::open_v4,
            },
        )?;
        if generation != Generation::V2 {
            return module.get::<Function>("configure")?.call(settings);
        }
        if settings.is_empty() {
            Ok(module)
        } else {
            Err(mlua::Error::runtime(
                "the interface of Lanes 2.x takes no settings",
            ))
        }
    }

    /// The settings as `configure` wants them.
    fn table(&self, lua: &Lua) -> mlua::Result<Table> {
        let table = lua.create_table()?;
        for (name, flag) in [
            ("strip_functions", self.strip_functions),
            ("track_lanes", self.track_lanes),
            ("verbose_errors", self.verbose_errors),
            ("with_timers", self.with_timers),
        ] {
            table.set(name, flag)?;
        }
        for (name, period) in [
            ("shutdown_timeout", self.shutdown_timeout),
            ("linda_wake_period", self.linda_wake_period),
        ] {
            table.set(name, period.map(|period| period.as_secs_f64()))?;
        }
        table.set("convert_max_attempts", self.convert_max_attempts)?;
        table.set("on_state_create", self.on_state_create.clone())?;
        match self.convert_fallback {
            None => {}
            Some(Fallback::Decay) => table.set("convert_fallback", "decay")?,
            Some(Fallback::Null) => table.set("convert_fallback", raw::null())?,
        }
        Ok(table)
    }
}
