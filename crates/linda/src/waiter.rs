//! [`Waiter`]: a blocked party, and [`Owed`], the wake-ups that are due to some.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Waker;

use smallvec::SmallVec;

use crate::sync::AtomicUsize;

/// A blocked party, as the slots see it.
///
/// | state | means | who leaves it |
/// |---|---|---|
/// | waiting | may be selected | a slot: to selected; the waiter: to abandoned |
/// | selected by the *i*-th slot | owns one wake-up of that slot | the waiter: to waiting (rearm) or abandoned |
/// | abandoned | has left, nobody may select it | nobody |
///
/// Slots change the state under their own lock only. The protocol is in
/// `README.md`.
#[derive(Debug)]
pub(crate) struct Waiter {
    state: AtomicUsize,
    waker: Waker,
}

const WAITING: usize = 0;
const ABANDONED: usize = 1;
/// Selected by the slot with index 0; by that with index i, i more.
const SELECTED: usize = 2;

fn selected_by(state: usize) -> Option<usize> {
    state.checked_sub(SELECTED)
}

impl Waiter {
    pub(crate) fn new(waker: Waker) -> Arc<Self> {
        Arc::new(Self {
            state: AtomicUsize::new(WAITING),
            waker,
        })
    }

    /// Whether being selected calls this waker, too.
    pub(crate) fn will_wake(&self, waker: &Waker) -> bool {
        self.waker.will_wake(waker)
    }

    /// waiting → selected, on behalf of the waiter's slot number `index`.
    /// Who gets `true` owes the wake-up.
    pub(crate) fn select(&self, index: usize) -> bool {
        // AcqRel: one order of all changes of the state; partners are `rearm`
        // and `abandon`.
        self.state
            .compare_exchange(
                WAITING,
                SELECTED + index,
                Ordering::AcqRel,
                Ordering::Relaxed,
            )
            .is_ok()
    }

    /// selected → waiting. Answers which slot had selected it.
    pub(crate) fn rearm(&self) -> Option<usize> {
        // Only the waiter itself leaves `selected`, so a load and a store will do.
        // Acquire: partner of `select`.
        let by = selected_by(self.state.load(Ordering::Acquire))?;
        // Release: partner of `select`.
        self.state.store(WAITING, Ordering::Release);
        Some(by)
    }

    /// any → abandoned. Answers which slot had selected it.
    pub(crate) fn abandon(&self) -> Option<usize> {
        // AcqRel: partner of `select`: it comes wholly before or finds the door shut.
        selected_by(self.state.swap(ABANDONED, Ordering::AcqRel))
    }
}

/// Wake-ups that were decided under a lock and must be performed after it.
#[derive(Debug)]
#[must_use = "a wake-up that is owed must be paid after unlocking"]
pub(crate) struct Owed(SmallVec<[Arc<Waiter>; 2]>);

impl Owed {
    pub(crate) fn nothing() -> Self {
        Self(SmallVec::new())
    }

    /// Adds the wake-up of a waiter that was selected.
    pub(crate) fn add(&mut self, waiter: Arc<Waiter>) {
        self.0.push(waiter);
    }

    /// Wakes everybody who is owed it. No lock may be held.
    #[inline]
    pub(crate) fn pay(self) {
        if !self.0.is_empty() {
            self.pay_all();
        }
    }

    #[cold]
    fn pay_all(mut self) {
        for waiter in self.0.drain(..) {
            waiter.waker.wake_by_ref();
        }
    }
}

impl Drop for Owed {
    fn drop(&mut self) {
        debug_assert!(
            self.0.is_empty() || std::thread::panicking(),
            "a wake-up that was owed was not paid"
        );
    }
}
