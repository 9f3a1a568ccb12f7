//! [`Cancel`]: how a party is asked to stop what it is blocked in.

use std::fmt;
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::task::{Context, Waker};

use crate::parker::Parker;
use crate::party::Party;
use crate::sync::{AtomicU8, Signal, Signalled};
use crate::{Cause, Deadline};

/// How urgently a party is asked to stop.
///
/// ```
/// use linda::Level;
///
/// assert!(Level::None < Level::Soft && Level::Soft < Level::Hard);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Not at all.
    #[default]
    None,
    /// At its convenience: blocking calls return the cancellation.
    Soft,
    /// Now: blocking calls return the cancellation, and it is an error.
    Hard,
}

/// The cancellation of one party: a level that only ever rises, and a signal
/// that ends its waits.
///
/// A blocking call looks at the level before its first attempt, when it has
/// just got ready to sleep, and whenever it is woken. The signal stays given
/// once it was given. So a request that comes with the signal cannot be missed,
/// however close it comes to the start of a wait; a request without it is
/// noticed when the wait ends, or after [`Party::recheck`].
///
/// ```
/// use linda::{Cancel, Cause, Deadline, Level, Linda, Party, ReceiveError, Spin};
///
/// let linda = Linda::<&str, i32>::new();
/// let (cancel, spin) = (Cancel::new(), Spin::new());
/// let party = Party::new(&cancel, &spin);
///
/// std::thread::scope(|scope| {
///     scope.spawn(|| cancel.request(Level::Soft, true));
///     let outcome = linda.receive(&party, &[linda.slot(&"never sent")], Deadline::never());
///     assert_eq!(outcome, Err(ReceiveError::Cancelled(Cause::Soft)));
/// });
/// ```
pub struct Cancel {
    level: AtomicU8,
    signal: Signal,
}

impl Cancel {
    /// A party that nobody has asked to stop.
    ///
    /// ```
    /// use linda::{Cancel, Level};
    ///
    /// assert_eq!(Cancel::new().level(), Level::None);
    /// ```
    pub fn new() -> Self {
        Self {
            level: AtomicU8::new(Level::None as u8),
            signal: Signal::new(),
        }
    }

    /// Asks the party to stop. The level rises to `level` or stays higher; with
    /// `wake`, a blocked call of the party ends now, and later ones at once.
    ///
    /// A request of [`Level::None`] asks for nothing.
    ///
    /// ```
    /// use linda::{Cancel, Level};
    ///
    /// let cancel = Cancel::new();
    /// cancel.request(Level::Hard, true);
    /// cancel.request(Level::Soft, true); // it does not fall
    /// assert_eq!(cancel.level(), Level::Hard);
    /// ```
    pub fn request(&self, level: Level, wake: bool) {
        if level == Level::None {
            return;
        }
        // Release: partner of the Acquire in `level`. The level comes before
        // the signal: who is woken by this finds why.
        self.level.fetch_max(level as u8, Ordering::AcqRel);
        if wake {
            self.signal.cancel();
        }
    }

    /// How urgently the party is asked to stop.
    ///
    /// ```
    /// use linda::{Cancel, Level};
    ///
    /// let cancel = Cancel::new();
    /// cancel.request(Level::Soft, false);
    /// assert_eq!(cancel.level(), Level::Soft);
    /// ```
    pub fn level(&self) -> Level {
        match self.level.load(Ordering::Acquire) {
            0 => Level::None,
            1 => Level::Soft,
            _ => Level::Hard,
        }
    }

    /// Sleeps until the deadline, or until the party is cancelled.
    ///
    /// ```
    /// use linda::{Cancel, Deadline, Party, Spin};
    /// use std::time::Duration;
    ///
    /// let (cancel, spin) = (Cancel::new(), Spin::new());
    /// let party = Party::new(&cancel, &spin);
    /// Cancel::wait(&party, Deadline::after(Duration::from_millis(1)))?;
    /// # Ok::<(), linda::Cause>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The party is cancelled, or was before the sleep began.
    pub fn wait(party: &Party<'_>, deadline: Deadline) -> Result<(), Cause> {
        let parker = Parker::new();
        let waker = parker.waker();
        party.cancel.attend(&waker, || {
            let mut watch = party.watch();
            loop {
                if let Some(cause) = party.cancel.cause() {
                    return Err(cause);
                }
                if deadline.passed() {
                    return Ok(());
                }
                watch.waiting();
                parker.park(party.next_look(deadline));
            }
        })
    }

    /// Is ready once a request came with the signal, for asynchronous callers.
    ///
    /// ```
    /// use linda::{Cancel, Level};
    /// use std::pin::pin;
    /// use std::task::{Context, Waker};
    ///
    /// let cancel = Cancel::new();
    /// let mut signalled = pin!(cancel.signalled());
    /// let mut context = Context::from_waker(Waker::noop());
    /// assert!(signalled.as_mut().poll(&mut context).is_pending());
    /// cancel.request(Level::Soft, true);
    /// assert!(signalled.as_mut().poll(&mut context).is_ready());
    /// ```
    pub fn signalled(&self) -> impl Future<Output = ()> + '_ {
        self.signal.cancelled()
    }

    /// The same, by its name.
    pub(crate) fn signal(&self) -> Signalled<'_> {
        self.signal.cancelled()
    }

    /// Why a call of the party must end, if it must.
    pub(crate) fn cause(&self) -> Option<Cause> {
        match self.level() {
            Level::None => None,
            Level::Soft => Some(Cause::Soft),
            Level::Hard => Some(Cause::Hard),
        }
    }

    /// Runs `wait` with `waker` being called when the signal is given. If it
    /// was given before, the level says so: look at it first.
    pub(crate) fn attend<R>(&self, waker: &Waker, wait: impl FnOnce() -> R) -> R {
        let mut cancelled = pin!(self.signal.cancelled());
        let _ = Future::poll(cancelled.as_mut(), &mut Context::from_waker(waker));
        wait()
    }
}

impl Default for Cancel {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancel")
            .field("level", &self.level())
            .finish_non_exhaustive()
    }
}
