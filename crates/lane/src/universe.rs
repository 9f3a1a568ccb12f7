//! The universe: everything that the lanes of one master state share.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock, Weak};
use std::time::Duration;

use linda::{Deadline, Level, Spin};
use parking_lot::{Condvar, Mutex};

use crate::lane::Lane;
use crate::raw::{Event, Hooks};

/// What `configure` settles for a universe.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long each step of the shutdown may take.
    pub shutdown_timeout: Duration,
    /// Functions travel without debug information, where the flavour can.
    pub strip_functions: bool,
    /// Refusals name the place of a value as the interface of the program does.
    pub verbose_errors: bool,
    /// What becomes of tables and userdata without a metatable.
    pub convert_fallback: Option<Fallback>,
    /// How often one value may be converted.
    pub convert_max_attempts: u32,
    /// Userdata that cannot travel becomes light userdata.
    pub demote_full_userdata: bool,
    /// Lanes are listed; see [`Universe::tracked`].
    pub track_lanes: bool,
}

/// What becomes of an object that has no metatable to say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// It becomes nil.
    Null,
    /// It becomes a light userdata with its address.
    Decay,
}

/// Who may spin: all universes share the processors.
pub fn spin() -> &'static Spin {
    static SPIN: LazyLock<Spin> = LazyLock::new(Spin::new);
    &SPIN
}

/// Used until a program configures something else.
static DEFAULTS: Settings = Settings {
    shutdown_timeout: Duration::from_millis(250),
    strip_functions: true,
    verbose_errors: false,
    convert_fallback: None,
    convert_max_attempts: 1,
    demote_full_userdata: false,
    track_lanes: false,
};

/// A universe belongs to one master state; several in one process share
/// nothing.
pub struct Universe {
    hooks: &'static Hooks,
    settings: OnceLock<Settings>,
    population: Mutex<Population>,
    /// All lanes, oldest first, if they are tracked. Weak: a lane stays as long
    /// as its thread or a handle holds it.
    tracked: Mutex<Vec<Weak<Lane>>>,
    /// What the Lua-facing side keeps for the universe.
    shared: Box<dyn Any + Send + Sync>,
    /// Told whenever a lane has ended.
    left: Condvar,
}

#[derive(Default)]
struct Population {
    /// The lanes that have not ended, oldest first.
    lanes: BTreeMap<u64, Arc<Lane>>,
    closing: bool,
}

impl Universe {
    /// A universe whose states get what `hooks` put there; `shared` is theirs.
    pub fn new(hooks: &'static Hooks, shared: Box<dyn Any + Send + Sync>) -> Universe {
        Universe {
            hooks,
            settings: OnceLock::new(),
            population: Mutex::default(),
            tracked: Mutex::default(),
            shared,
            left: Condvar::new(),
        }
    }

    /// What the Lua-facing side puts into states.
    pub fn hooks(&self) -> &'static Hooks {
        self.hooks
    }

    /// What the Lua-facing side keeps for the universe.
    pub fn shared<T: 'static>(&self) -> Option<&T> {
        self.shared.downcast_ref()
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        self.settings.get().unwrap_or(&DEFAULTS)
    }

    /// Settles the settings; only the first call counts. Answers whether it did.
    pub fn configure(&self, settings: Settings) -> bool {
        self.settings.set(settings).is_ok()
    }

    /// Whether the settings were settled.
    pub fn is_configured(&self) -> bool {
        self.settings.get().is_some()
    }

    /// The settings before anything was configured.
    pub fn defaults() -> &'static Settings {
        &DEFAULTS
    }

    /// Who may spin.
    pub fn spin(&self) -> &'static Spin {
        spin()
    }

    /// A number that nothing else in this process has: a host may give a linda
    /// to several universes, and what travels through it must not be mistaken.
    pub fn next_identity(&self) -> u64 {
        static IDENTITIES: AtomicU64 = AtomicU64::new(1);
        // Only uniqueness matters, not order.
        IDENTITIES.fetch_add(1, Ordering::Relaxed)
    }

    /// Registers a lane whose thread is about to start. Refused while the
    /// universe is closing: nobody would stop such a lane.
    pub fn enter(&self, lane: &Arc<Lane>) -> bool {
        let mut population = self.population.lock();
        if population.closing {
            return false;
        }
        population.lanes.insert(lane.id(), Arc::clone(lane));
        true
    }

    /// Lists the lane from now on, if lanes are tracked.
    pub fn track(&self, lane: &Arc<Lane>) {
        if self.settings().track_lanes {
            let mut tracked = self.tracked.lock();
            // Only as many dead entries as live ones.
            if tracked.len() == tracked.capacity() {
                tracked.retain(|lane| lane.strong_count() > 0);
            }
            tracked.push(Arc::downgrade(lane));
        }
    }

    /// The lanes that run or have a handle, newest first; nothing if lanes are
    /// not tracked.
    pub fn tracked(&self) -> Option<Vec<Arc<Lane>>> {
        self.settings().track_lanes.then(|| {
            let mut lanes: Vec<_> = self
                .tracked
                .lock()
                .iter()
                .filter_map(Weak::upgrade)
                .collect();
            lanes.retain(|lane| lane.is_owned() || !lane.status().is_final());
            lanes.sort_by_key(|lane| std::cmp::Reverse(lane.id()));
            lanes
        })
    }

    /// Takes a lane off the register: its state is closed, or was never
    /// started.
    pub fn leave(&self, lane: &Arc<Lane>) {
        let mut population = self.population.lock();
        population.lanes.remove(&lane.id());
        let last = population.lanes.is_empty();
        drop(population);
        if last {
            self.left.notify_all();
        }
    }

    /// How many lanes have not ended.
    pub fn alive(&self) -> usize {
        self.population.lock().lanes.len()
    }

    /// Takes the universe down: no lane starts any more, and those that run
    /// are asked softly if they know what that means, then hard, then stopped
    /// by hooks; each step waits up to `shutdown_timeout` and ends as soon as
    /// all lanes have ended. Answers whether they have. A lane that is still
    /// there keeps what it can touch alive by reference counts, so nothing is
    /// freed under it.
    pub fn close(&self, softly: bool) -> bool {
        /// How long a hook that raises once may take before it gets stubborn.
        const AGAIN: Duration = Duration::from_millis(20);
        self.population.lock().closing = true;
        let timeout = self.settings().shutdown_timeout;
        let steps = if softly {
            &[Level::Soft, Level::Hard][..]
        } else {
            &[Level::Hard]
        };
        for level in steps {
            self.cancel_all(*level);
            if self.wait_until_empty(Deadline::after(timeout)) {
                return true;
            }
        }
        let deadline = Deadline::after(timeout);
        // The first one raises once, so that a lane that does let the error
        // through gets time for what it does on its way out. One that swallows
        // it is stopped by force.
        let mut insist = false;
        loop {
            for lane in self.lanes() {
                if insist {
                    lane.hook().insist();
                } else {
                    lane.hook().request(Event::All, 1);
                }
            }
            insist = true;
            if self.wait_until_empty(deadline.earlier(Deadline::after(AGAIN))) {
                return true;
            }
            if deadline.passed() {
                return false;
            }
        }
    }

    /// Sends a cancel request to all lanes that have not ended, and wakes them.
    pub fn cancel_all(&self, level: Level) {
        for lane in self.lanes() {
            lane.request(level, true);
        }
    }

    /// The lanes that have not ended, oldest first. A copy: what is done to
    /// them must not happen under our lock.
    pub fn lanes(&self) -> Vec<Arc<Lane>> {
        self.population.lock().lanes.values().cloned().collect()
    }

    fn wait_until_empty(&self, deadline: Deadline) -> bool {
        let mut population = self.population.lock();
        while !population.lanes.is_empty() {
            match deadline.remaining() {
                None => self.left.wait(&mut population),
                Some(left) if left.is_zero() => return false,
                Some(left) => {
                    self.left.wait_for(&mut population, left);
                }
            }
        }
        true
    }
}
