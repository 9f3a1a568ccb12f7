//! Panics on demand, in builds for tests only: what must survive a panic
//! anywhere is tested with one at each point of a call in turn.
//!
//! A thread arms itself, or all others, with the number of a point. Each point
//! that is passed counts down, and the one that reaches zero panics, once.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;

thread_local! {
    /// The number of the point that panics on this thread, from now; or 0.
    static HERE: Cell<u64> = const { Cell::new(0) };
    /// Whether this thread is the one that has armed the others.
    static SPARED: Cell<bool> = const { Cell::new(false) };
    /// What has panicked on this thread.
    static FIRED: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// The same for the other threads.
static ELSEWHERE: AtomicU64 = AtomicU64::new(0);
static ARMED: AtomicBool = AtomicBool::new(false);
static FIRED_ELSEWHERE: Mutex<Option<&'static str>> = Mutex::new(None);

/// The `n`-th point that this thread passes from now on panics.
pub fn arm(n: u64) {
    FIRED.set(None);
    HERE.set(n);
}

/// The `n`-th point that other threads pass from now on panics, on the thread
/// that passes it.
pub fn arm_elsewhere(n: u64) {
    SPARED.set(true);
    *FIRED_ELSEWHERE.lock() = None;
    ELSEWHERE.store(n, Ordering::SeqCst);
    ARMED.store(n > 0, Ordering::SeqCst);
}

/// No point panics any more. Answers where one did: what [`point`] was given.
pub fn disarm() -> Option<&'static str> {
    HERE.set(0);
    ARMED.store(false, Ordering::SeqCst);
    SPARED.set(false);
    FIRED.take().or_else(|| FIRED_ELSEWHERE.lock().take())
}

/// A point that can panic.
pub fn point(place: &'static str) {
    let n = HERE.get();
    if n > 0 {
        HERE.set(n - 1);
        if n == 1 {
            FIRED.set(Some(place));
            panic!("a fault {place}");
        }
    } else if ARMED.load(Ordering::SeqCst) && !SPARED.get() {
        // The one that takes the last of the count.
        if ELSEWHERE.fetch_sub(1, Ordering::SeqCst) == 1 {
            ARMED.store(false, Ordering::SeqCst);
            *FIRED_ELSEWHERE.lock() = Some(place);
            panic!("a fault {place}");
        }
    }
}
