//! [`Spin`]: waiting without sleeping, for a short time and not too many at once.

use std::fmt;

#[cfg(rlanes_loom)]
use crate::Deadline;

/// Shared by the parties that compete for the same processors: it bounds how
/// many of them spin at once.
///
/// A hand-over to a thread that sleeps takes the kernel many microseconds; to
/// one that looks all the time it takes a fraction of one. Looking all the time
/// only helps if the other side runs meanwhile, so there are fewer permits than
/// processors: with one processor nobody spins.
///
/// ```
/// use linda::{Cancel, Party, Spin};
///
/// let spin = Spin::new(); // one for all parties of the process
/// let (a, b) = (Cancel::new(), Cancel::new());
/// let _parties = [Party::new(&a, &spin), Party::new(&b, &spin)];
/// ```
pub struct Spin {
    permits: usize,
    #[cfg(not(rlanes_loom))]
    taken: std::sync::atomic::AtomicUsize,
    /// How many more waits shall not yield, because a yield took long.
    #[cfg(not(rlanes_loom))]
    crowded: std::sync::atomic::AtomicUsize,
}

impl Spin {
    /// For the processors that this process may use.
    ///
    /// ```
    /// let _spin = linda::Spin::new();
    /// ```
    pub fn new() -> Self {
        Self::with_cores(std::thread::available_parallelism().map_or(1, Into::into))
    }

    /// For so many processors.
    ///
    /// ```
    /// let _nobody_spins = linda::Spin::with_cores(1);
    /// ```
    pub fn with_cores(cores: usize) -> Self {
        Self {
            permits: cores.saturating_sub(1),
            #[cfg(not(rlanes_loom))]
            taken: std::sync::atomic::AtomicUsize::new(0),
            #[cfg(not(rlanes_loom))]
            crowded: std::sync::atomic::AtomicUsize::new(0),
        }
    }
}

#[cfg(not(rlanes_loom))]
mod watch {
    use std::sync::atomic::Ordering;
    use std::time::{Duration, Instant};

    use super::Spin;
    use crate::Deadline;

    /// How long a party looks around before it goes to sleep.
    const PATIENCE: Duration = Duration::from_micros(20);
    /// A yield that takes so long went to somebody who wants the processor for
    /// himself. Who sleeps gets it back at once when he is woken; who yields
    /// waits for his turn.
    const LATE: Duration = Duration::from_millis(1);
    /// So many waits then go to sleep without a yield.
    const CROWDED: usize = 200;
    /// How many pauses a spin has, between two yields.
    const PAUSES: u32 = 50;

    impl Spin {
        /// Looks until `look` sees something, the deadline has passed, or sleeping
        /// has become the better way: spins briefly if there is a permit to be
        /// had, with so many `pauses` between two looks, yields, and so on.
        pub fn watch<T>(
            &self,
            deadline: Deadline,
            pauses: u32,
            mut look: impl FnMut() -> Option<T>,
        ) -> Option<T> {
            let mut start = None;
            let mut yielded = None;
            loop {
                if let Some(_permit) = self.permit() {
                    for _ in 0..PAUSES / pauses {
                        if let Some(seen) = look() {
                            return Some(seen);
                        }
                        for _ in 0..pauses {
                            std::hint::spin_loop();
                        }
                    }
                }
                if let Some(seen) = look() {
                    return Some(seen);
                }
                // The clock is first read when the hand-over was not immediate.
                let now = Instant::now();
                if yielded.is_some_and(|before| now - before >= LATE) {
                    self.crowded.store(CROWDED, Ordering::Relaxed);
                }
                if now - *start.get_or_insert(now) >= PATIENCE
                    || self.is_crowded()
                    || deadline.passed()
                {
                    return None;
                }
                yielded = Some(now);
                std::thread::yield_now();
            }
        }

        fn is_crowded(&self) -> bool {
            // Relaxed, and not exact: a habit, nothing else hangs on it.
            let left = self.crowded.load(Ordering::Relaxed);
            if left > 0 {
                self.crowded.store(left - 1, Ordering::Relaxed);
            }
            left > 0
        }

        fn permit(&self) -> Option<Permit<'_>> {
            // Relaxed: a count, nothing else hangs on it.
            if self.taken.load(Ordering::Relaxed) >= self.permits {
                return None;
            }
            let permit = Permit(self);
            let before = self.taken.fetch_add(1, Ordering::Relaxed);
            (before < self.permits).then_some(permit)
        }
    }

    struct Permit<'a>(&'a Spin);

    impl Drop for Permit<'_> {
        fn drop(&mut self) {
            self.0.taken.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[cfg(rlanes_loom)]
impl Spin {
    /// Looking early proves nothing: a model goes straight to sleep.
    pub fn watch<T>(&self, _: Deadline, _: u32, _: impl FnMut() -> Option<T>) -> Option<T> {
        None
    }
}

impl Default for Spin {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Spin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spin")
            .field("permits", &self.permits)
            .finish_non_exhaustive()
    }
}
