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
    /// How many these were when they were last set, and less with each yield
    /// that did not take long.
    #[cfg(not(rlanes_loom))]
    stretch: std::sync::atomic::AtomicUsize,
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
            #[cfg(not(rlanes_loom))]
            stretch: std::sync::atomic::AtomicUsize::new(0),
        }
    }
}

/// What a party looks for while it does not sleep.
#[cfg_attr(rlanes_loom, allow(dead_code))]
pub(crate) trait Look {
    type Seen;

    /// What was waited for, if it is there.
    fn look(&mut self) -> Option<Self::Seen>;

    /// Whether there is more of what has just been seen.
    fn sees_more(&self) -> bool {
        false
    }
}

impl<T, F: FnMut() -> Option<T>> Look for F {
    type Seen = T;

    fn look(&mut self) -> Option<T> {
        self()
    }
}

#[cfg(not(rlanes_loom))]
mod watch {
    use std::sync::atomic::Ordering;
    use std::time::{Duration, Instant};

    use super::{Habit, Look, Spin};
    use crate::Deadline;

    /// How long a party looks around before it goes to sleep.
    const PATIENCE: Duration = Duration::from_micros(20);
    /// How long one at most that knows what it waits for.
    const MOST_PATIENCE: Duration = Duration::from_micros(300);
    /// A yield that takes so long went to somebody who wants the processor for
    /// himself. Who sleeps gets it back at once when he is woken; who yields
    /// waits for his turn. (If there is more to see afterwards than was waited
    /// for, the turn was used to produce it, and was no loss.)
    const LATE: Duration = Duration::from_millis(1);
    /// So many waits then go to sleep without a yield, ...
    const CROWDED: usize = 200;
    /// ... and up to so many if the next yield after them is late again, and so on.
    const MOST_CROWDED: usize = 100 * CROWDED;
    /// How many pauses a spin has, between two yields.
    const PAUSES: u32 = 50;

    impl Spin {
        /// Looks until there is something to see, the deadline has passed, or
        /// sleeping has become the better way: spins briefly if there is a permit
        /// to be had, with so many `pauses` between two looks, yields, and so on.
        pub(crate) fn watch<L: Look>(
            &self,
            deadline: Deadline,
            pauses: u32,
            look: &mut L,
        ) -> Option<L::Seen> {
            self.watch_for(PATIENCE, deadline, pauses, look, std::thread::yield_now)
        }

        /// `yields` is what gives the processor away; tests have one that is late.
        pub(super) fn watch_for<L: Look>(
            &self,
            patience: Duration,
            deadline: Deadline,
            pauses: u32,
            look: &mut L,
            yields: impl Fn(),
        ) -> Option<L::Seen> {
            let mut start = None;
            let mut late = false;
            loop {
                let seen = self.look_around(pauses, look);
                if late && !(seen.is_some() && look.sees_more()) {
                    self.note_late();
                }
                if seen.is_some() {
                    return seen;
                }
                // The clock is first read when the hand-over was not immediate.
                let now = Instant::now();
                if now - *start.get_or_insert(now) >= patience
                    || self.is_crowded()
                    || deadline.passed()
                {
                    return None;
                }
                yields();
                late = now.elapsed() >= LATE;
                if !late {
                    self.note_prompt();
                }
            }
        }

        fn look_around<L: Look>(&self, pauses: u32, look: &mut L) -> Option<L::Seen> {
            if let Some(_permit) = self.permit() {
                for _ in 0..PAUSES / pauses {
                    let seen = look.look();
                    if seen.is_some() {
                        return seen;
                    }
                    for _ in 0..pauses {
                        std::hint::spin_loop();
                    }
                }
            }
            look.look()
        }

        // What follows about yields is Relaxed and not exact: a habit, nothing
        // else hangs on it.

        pub(super) fn is_crowded(&self) -> bool {
            let left = self.crowded.load(Ordering::Relaxed);
            if left > 0 {
                self.crowded.store(left - 1, Ordering::Relaxed);
            }
            left > 0
        }

        pub(super) fn note_late(&self) {
            let stretch = self.stretch.load(Ordering::Relaxed);
            let stretch = (2 * stretch).clamp(CROWDED, MOST_CROWDED);
            self.stretch.store(stretch, Ordering::Relaxed);
            self.crowded.store(stretch, Ordering::Relaxed);
        }

        pub(super) fn note_prompt(&self) {
            let stretch = self.stretch.load(Ordering::Relaxed);
            if stretch > 0 {
                self.stretch
                    .store(stretch - stretch.div_ceil(64), Ordering::Relaxed);
            }
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

    impl Habit {
        /// Looks around as [`Spin`] does, as long as the last waits of this kind
        /// took, and as much again.
        pub fn watch<T>(
            &self,
            spin: &Spin,
            deadline: Deadline,
            pauses: u32,
            mut look: impl FnMut() -> Option<T>,
        ) -> Option<T> {
            // Relaxed, and not exact: a habit, nothing else hangs on it.
            let usual = Duration::from_nanos(self.usual.load(Ordering::Relaxed) as u64);
            spin.watch_for(
                (2 * usual).clamp(PATIENCE, MOST_PATIENCE),
                deadline,
                pauses,
                &mut look,
                std::thread::yield_now,
            )
        }

        /// What was waited for has come after so long, or has not come in it.
        pub fn note(&self, waited: Duration) {
            let usual = self.usual.load(Ordering::Relaxed);
            // A wait that looking around would not have shortened is no reason
            // to look around longer.
            let waited = if waited < MOST_PATIENCE {
                waited.as_nanos() as usize
            } else {
                0
            };
            self.usual
                .store((3 * usual + waited) / 4, Ordering::Relaxed);
        }
    }

    struct Permit<'a>(&'a Spin);

    impl Drop for Permit<'_> {
        fn drop(&mut self) {
            self.0.taken.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// How long waits of one kind have taken lately: who finds that what it waits
/// for comes soon looks around a little longer before it sleeps.
///
/// ```
/// use std::time::{Duration, Instant};
///
/// use linda::{Deadline, Habit, Spin};
///
/// static HABIT: Habit = Habit::new();
/// let begun = Instant::now();
/// let seen = HABIT.watch(&Spin::new(), Deadline::never(), 1, || Some("it"));
/// HABIT.note(begun.elapsed());
/// assert_eq!(seen, Some("it"));
/// ```
#[derive(Debug, Default)]
pub struct Habit {
    /// In nanoseconds.
    #[cfg(not(rlanes_loom))]
    usual: std::sync::atomic::AtomicUsize,
}

impl Habit {
    /// None yet.
    pub const fn new() -> Self {
        Self {
            #[cfg(not(rlanes_loom))]
            usual: std::sync::atomic::AtomicUsize::new(0),
        }
    }
}

#[cfg(rlanes_loom)]
impl Spin {
    /// Looking early proves nothing: a model goes straight to sleep.
    pub(crate) fn watch<L: Look>(&self, _: Deadline, _: u32, _: &mut L) -> Option<L::Seen> {
        None
    }
}

#[cfg(rlanes_loom)]
impl Habit {
    /// As `Spin::watch`.
    pub fn watch<T>(
        &self,
        _: &Spin,
        _: Deadline,
        _: u32,
        _: impl FnMut() -> Option<T>,
    ) -> Option<T> {
        None
    }

    /// There is no time in a model.
    pub fn note(&self, _: std::time::Duration) {}
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

#[cfg(all(test, not(rlanes_loom)))]
mod tests {
    use std::cell::Cell;
    use std::thread::sleep;
    use std::time::Duration;

    use super::{Look, Spin};
    use crate::Deadline;

    /// How many waits in a row find it crowded.
    fn crowded(spin: &Spin) -> usize {
        (0..).take_while(|_| spin.is_crowded()).count()
    }

    /// Sees nothing until its producer has had the processor.
    struct Produced<'a> {
        there: &'a Cell<bool>,
        more: bool,
    }

    impl Look for Produced<'_> {
        type Seen = ();

        fn look(&mut self) -> Option<()> {
            self.there.get().then_some(())
        }

        fn sees_more(&self) -> bool {
            self.more
        }
    }

    /// Waits for what comes while the processor is away for so long; answers
    /// how many waits then find it crowded.
    fn crowded_after_yield(took: Duration, comes: bool, more: bool) -> usize {
        let spin = Spin::with_cores(1);
        let there = Cell::new(false);
        let mut look = Produced {
            there: &there,
            more,
        };
        let patience = Duration::from_millis(1);
        let seen = spin.watch_for(patience, Deadline::never(), 1, &mut look, || {
            sleep(took);
            there.set(comes);
        });
        assert_eq!(seen.is_some(), comes);
        crowded(&spin)
    }

    #[test]
    fn a_late_yield_counts_unless_there_is_more_than_was_waited_for() {
        let late = Duration::from_millis(2);
        assert_eq!(crowded_after_yield(late, false, false), 200);
        assert_eq!(crowded_after_yield(late, true, false), 200);
        assert_eq!(crowded_after_yield(late, true, true), 0);
    }

    #[test]
    fn late_yields_are_avoided_the_longer_the_more_there_are() {
        let spin = Spin::with_cores(2);
        assert_eq!(crowded(&spin), 0);
        for expected in [200, 400, 800] {
            spin.note_late();
            assert_eq!(crowded(&spin), expected);
        }
        for _ in 0..20 {
            spin.note_late();
        }
        assert_eq!(crowded(&spin), 20_000);
    }

    #[test]
    fn prompt_yields_restore_trust() {
        let spin = Spin::with_cores(2);
        for _ in 0..20 {
            spin.note_late();
        }
        assert_eq!(crowded(&spin), 20_000);
        for _ in 0..1_000 {
            spin.note_prompt();
        }
        spin.note_late();
        assert_eq!(crowded(&spin), 200);
    }
}
