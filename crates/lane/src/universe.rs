//! The universe: everything that the lanes of one master state share.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
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
}

/// Used until a program configures something else.
static DEFAULTS: Settings = Settings {
    shutdown_timeout: Duration::from_millis(250),
    strip_functions: true,
};

/// A universe belongs to one master state; several in one process share
/// nothing.
pub struct Universe {
    hooks: &'static Hooks,
    settings: OnceLock<Settings>,
    spin: Spin,
    identities: AtomicU64,
    population: Mutex<Population>,
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
    /// A universe whose states get what `hooks` put there.
    pub fn new(hooks: &'static Hooks) -> Universe {
        Universe {
            hooks,
            settings: OnceLock::new(),
            spin: Spin::new(),
            identities: AtomicU64::new(1),
            population: Mutex::default(),
            left: Condvar::new(),
        }
    }

    /// What the Lua-facing side puts into states.
    pub fn hooks(&self) -> &'static Hooks {
        self.hooks
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        self.settings.get().unwrap_or(&DEFAULTS)
    }

    /// Settles the settings; only the first call counts. Answers whether it did.
    pub fn configure(&self, settings: Settings) -> bool {
        self.settings.set(settings).is_ok()
    }

    /// The settings before anything was configured.
    pub fn defaults() -> &'static Settings {
        &DEFAULTS
    }

    /// Who may spin.
    pub fn spin(&self) -> &Spin {
        &self.spin
    }

    /// A number that nothing else in this universe has.
    pub fn next_identity(&self) -> u64 {
        // Only uniqueness matters, not order.
        self.identities.fetch_add(1, Ordering::Relaxed)
    }

    /// Registers a lane whose thread is about to start. Refused while the
    /// universe is closing: nobody would stop such a lane.
    pub(crate) fn enter(&self, lane: &Arc<Lane>) -> bool {
        let mut population = self.population.lock();
        if population.closing {
            return false;
        }
        population.lanes.insert(lane.id(), Arc::clone(lane));
        true
    }

    /// Takes a lane off the register: its state is closed, or was never
    /// started.
    pub(crate) fn leave(&self, lane: &Arc<Lane>) {
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
    /// are asked softly, then hard, then stopped by hooks; each step waits up
    /// to `shutdown_timeout` and ends as soon as all lanes have ended. Answers
    /// whether they have. A lane that is still there keeps what it can touch
    /// alive by reference counts, so nothing is freed under it.
    pub fn close(&self) -> bool {
        /// A hook raises once; a lane that swallows the error gets another.
        const AGAIN: Duration = Duration::from_millis(20);
        self.population.lock().closing = true;
        let timeout = self.settings().shutdown_timeout;
        for level in [Level::Soft, Level::Hard] {
            self.cancel_all(level);
            if self.wait_until_empty(Deadline::after(timeout)) {
                return true;
            }
        }
        let deadline = Deadline::after(timeout);
        loop {
            for lane in self.lanes() {
                lane.hook().request(Event::All, 1);
            }
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
            lane.cancel().request(level, true);
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
