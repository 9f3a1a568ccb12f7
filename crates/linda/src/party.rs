//! [`Party`]: who is blocking.

use std::fmt;
use std::time::Duration;

use crate::{Cancel, Deadline, Spin};

/// Who makes a blocking call, and what the call must respect.
///
/// ```
/// use linda::{Cancel, Party, Spin};
/// use std::time::Duration;
///
/// let (cancel, spin) = (Cancel::new(), Spin::new());
/// let party = Party { recheck: Some(Duration::from_secs(1)), ..Party::new(&cancel, &spin) };
/// ```
#[derive(Clone, Copy)]
pub struct Party<'a> {
    /// Its cancellation.
    pub cancel: &'a Cancel,
    /// Shared with the other parties that may spin at the same time.
    pub spin: &'a Spin,
    /// Is told when the party falls asleep and wakes up.
    pub observer: Option<&'a dyn Observer>,
    /// How long a sleep may last before the call looks at the level of `cancel`
    /// again: the only way in which a blocked call can notice a request that
    /// did not wake it.
    pub recheck: Option<Duration>,
}

/// Is told when a party falls asleep and when it has woken up: around a real
/// wait only, not when a call succeeds at once or after spinning.
///
/// Both are called by the party itself, with no lock held.
///
/// ```
/// use linda::{Cancel, Deadline, Observer, Party, Spin};
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use std::time::Duration;
///
/// #[derive(Default)]
/// struct Naps(AtomicUsize);
///
/// impl Observer for Naps {
///     fn waiting(&self) {
///         self.0.fetch_add(1, Ordering::Relaxed);
///     }
///     fn running(&self) {}
/// }
///
/// let (cancel, spin, naps) = (Cancel::new(), Spin::new(), Naps::default());
/// let party = Party { observer: Some(&naps), ..Party::new(&cancel, &spin) };
/// Cancel::wait(&party, Deadline::after(Duration::from_millis(1)))?;
/// assert_eq!(naps.0.into_inner(), 1);
/// # Ok::<(), linda::Cause>(())
/// ```
pub trait Observer {
    /// The party is about to sleep.
    fn waiting(&self);
    /// The party runs again. Comes once after each `waiting`.
    fn running(&self);
}

impl<'a> Party<'a> {
    /// A party without an observer that never rechecks.
    ///
    /// ```
    /// use linda::{Cancel, Party, Spin};
    ///
    /// let (cancel, spin) = (Cancel::new(), Spin::new());
    /// assert!(Party::new(&cancel, &spin).recheck.is_none());
    /// ```
    pub fn new(cancel: &'a Cancel, spin: &'a Spin) -> Self {
        Self {
            cancel,
            spin,
            observer: None,
            recheck: None,
        }
    }

    /// A watch over one blocking call.
    pub(crate) fn watch(&self) -> Watch<'a> {
        Watch {
            observer: self.observer,
            waiting: false,
        }
    }

    /// When a sleep that may last until `deadline` must be interrupted.
    pub(crate) fn next_look(&self, deadline: Deadline) -> Deadline {
        match self.recheck {
            Some(period) => deadline.earlier(Deadline::after(period)),
            None => deadline,
        }
    }
}

impl fmt::Debug for Party<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Party")
            .field("cancel", self.cancel)
            .field("recheck", &self.recheck)
            .finish_non_exhaustive()
    }
}

/// Tells the observer of one blocking call: at most one `waiting`, and one
/// `running` after it however the call ends.
pub(crate) struct Watch<'a> {
    observer: Option<&'a dyn Observer>,
    waiting: bool,
}

impl Watch<'_> {
    /// The party is about to sleep, maybe not for the first time.
    pub(crate) fn waiting(&mut self) {
        if let Some(observer) = self.observer
            && !self.waiting
        {
            self.waiting = true;
            observer.waiting();
        }
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if let Some(observer) = self.observer
            && self.waiting
        {
            observer.running();
        }
    }
}
