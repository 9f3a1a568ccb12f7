//! What the tests share: parties, configurations, threads that are seen to wait.

#![allow(dead_code, unreachable_pub, reason = "every test file uses a part")]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use linda::{Cancel, Deadline, Linda, Observer, Party, SlotRef, Spin};

/// The limits over which the same bodies run.
pub const LIMITS: [Option<usize>; 4] = [None, Some(0), Some(1), Some(5)];

/// Long enough to be asleep after.
pub const NAP: Duration = Duration::from_millis(30);

/// A linda with one slot of this limit. Nothing is stored.
pub fn one_slot<M: Clone>(limit: Option<usize>) -> (Linda<u32, M>, SlotRef<u32, M>) {
    let linda = Linda::new();
    let slot = linda.slot(&1);
    if limit.is_some() {
        linda.set_limit(&slot, limit).unwrap();
    }
    (linda, slot)
}

/// What a party refers to.
pub struct Me {
    pub cancel: Cancel,
    pub spin: Spin,
    pub recheck: Option<Duration>,
    pub asleep: AtomicBool,
    pub sleeps: AtomicUsize,
}

impl Me {
    pub fn new() -> Self {
        Self {
            cancel: Cancel::new(),
            spin: Spin::new(),
            recheck: None,
            asleep: AtomicBool::new(false),
            sleeps: AtomicUsize::new(0),
        }
    }

    pub fn party(&self) -> Party<'_> {
        Party {
            cancel: &self.cancel,
            spin: &self.spin,
            observer: Some(self),
            recheck: self.recheck,
        }
    }

    /// Returns when the party sleeps, at the latest an instant later.
    pub fn wait_until_asleep(&self) {
        while !self.asleep.load(Ordering::SeqCst) {
            thread::yield_now();
        }
    }
}

impl Observer for Me {
    fn waiting(&self) {
        assert!(!self.asleep.swap(true, Ordering::SeqCst));
        self.sleeps.fetch_add(1, Ordering::SeqCst);
    }

    fn running(&self) {
        assert!(self.asleep.swap(false, Ordering::SeqCst));
    }
}

/// A deadline that a test should never reach.
pub fn long() -> Deadline {
    Deadline::after(Duration::from_secs(60))
}

/// Runs `act`, which must last at least so long.
pub fn lasts<R>(least: Duration, act: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = act();
    let took = start.elapsed();
    assert!(took >= least, "returned after {took:?}, before {least:?}");
    result
}

/// How long a stress test runs: short, or `RLANES_STRESS_SECS`.
pub fn stress_time() -> Duration {
    match std::env::var("RLANES_STRESS_SECS") {
        Ok(seconds) => Duration::from_secs_f64(seconds.parse().unwrap()),
        Err(_) => Duration::from_millis(300),
    }
}

/// A small random number generator (xorshift64*): seeded, so that a failure
/// can be repeated.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
    }
}
