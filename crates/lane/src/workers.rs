//! Threads for lanes: one that has ended its lane stays for a moment, and the
//! next lane runs on it.
//!
//! Starting a thread takes the system longer than making a Lua state. A thread
//! that waits here holds nothing: no state, no lane, no universe. It ends when
//! nobody had use for it for [`LINGER`].
//!
//! # Protocol
//!
//! A worker is *idle* exactly while it is in the list [`IDLE`]. Who takes it
//! out of the list decides what becomes of it: a launch takes it and gives it a
//! job; the worker itself takes itself out and ends. Both do so under the
//! list's lock, so only one of them does. A worker whose wait is over and that
//! finds itself not in the list was taken by a launch: its job has come or is
//! about to, and it waits on.
//!
//! A thread inherits from the one that starts it: how urgent it is, on which
//! processors it may run, which signals are blocked, what it is called. A
//! worker takes a job only from a thread like itself, so that nobody can tell
//! it from a fresh one; the name is cheap to change and is.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use linda::{Deadline, Habit, Spin};
use parking_lot::{Condvar, Mutex};

use crate::thread::{Traits, set_name};

/// What a worker does for one lane.
pub type Job = Box<dyn FnOnce() + Send>;

/// How long an idle worker waits for the next lane.
const LINGER: Duration = Duration::from_millis(200);
/// How many idle workers are kept.
const MOST: usize = 8;

static IDLE: Mutex<VecDeque<Arc<Worker>>> = Mutex::new(VecDeque::new());

struct Worker {
    /// What a thread must have in common with it to give it a job.
    traits: Traits,
    job: Mutex<Option<Job>>,
    given: Condvar,
    /// A hint for a worker that spins.
    has_job: AtomicBool,
}

/// Runs the job on a thread called `name`, if that is given, and else as the
/// calling one.
///
/// # Errors
///
/// The system refuses another thread. The job was dropped then.
pub fn run(name: Option<&str>, stack_size: usize, spin: &'static Spin, job: Job) -> io::Result<()> {
    let traits = Traits::of_this_thread(stack_size);
    let idle = {
        let mut idle = IDLE.lock();
        // The one that came last: its stack is in the processor's cache, and
        // those that are not needed end.
        let place = idle.iter().rposition(|worker| worker.traits == traits);
        place.and_then(|place| idle.remove(place))
    };
    if let Some(worker) = idle {
        let name = name.map_or_else(crate::thread::name, |name| name.as_bytes().to_vec());
        let job = move || {
            set_name(&name);
            job();
        };
        worker.give(Box::new(job));
        return Ok(());
    }
    let mut builder = std::thread::Builder::new().stack_size(stack_size);
    if let Some(name) = name {
        builder = builder.name(name.to_owned());
    }
    builder.spawn(move || work(job, stack_size, spin)).map(drop)
}

fn work(first: Job, stack_size: usize, spin: &Spin) {
    let mut job = first;
    loop {
        job();
        let worker = Arc::new(Worker {
            // A lane may have changed them.
            traits: Traits::of_this_thread(stack_size),
            job: Mutex::new(None),
            given: Condvar::new(),
            has_job: AtomicBool::new(false),
        });
        {
            let mut idle = IDLE.lock();
            if idle.len() >= MOST {
                return;
            }
            idle.push_back(Arc::clone(&worker));
        }
        match worker.wait(spin) {
            Some(next) => job = next,
            None => return,
        }
    }
}

impl Worker {
    fn give(&self, job: Job) {
        *self.job.lock() = Some(job);
        self.has_job.store(true, Ordering::Release);
        self.given.notify_one();
    }

    /// The next job, or none when the worker shall end.
    fn wait(self: &Arc<Self>, spin: &Spin) -> Option<Job> {
        /// How soon there were jobs lately.
        static HABIT: Habit = Habit::new();
        let linger = Deadline::after(LINGER);
        let begun = Instant::now();
        let soon = HABIT.watch(spin, linger, 1, || {
            if self.has_job.load(Ordering::Acquire) {
                self.job.lock().take()
            } else {
                None
            }
        });
        if soon.is_some() {
            HABIT.note(begun.elapsed());
            return soon;
        }
        let mut job = self.job.lock();
        loop {
            if let Some(job) = job.take() {
                HABIT.note(begun.elapsed());
                return Some(job);
            }
            let left = linger.remaining().unwrap_or_default();
            if left.is_zero() {
                // No two locks at once.
                drop(job);
                let mut idle = IDLE.lock();
                if let Some(place) = idle.iter().position(|other| Arc::ptr_eq(other, self)) {
                    idle.remove(place);
                    HABIT.note(Duration::MAX);
                    return None;
                }
                drop(idle);
                // A launch has taken this worker: the job comes at once.
                job = self.job.lock();
                while job.is_none() {
                    self.given.wait(&mut job);
                }
            } else {
                self.given.wait_for(&mut job, left);
            }
        }
    }
}
