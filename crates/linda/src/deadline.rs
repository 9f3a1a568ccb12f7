//! [`Deadline`]: an instant, or never.

use std::fmt;
use std::time::{Duration, Instant};

/// When a blocking call gives up: an instant, or never.
///
/// A timeout becomes a deadline once, where it enters the program, and stays
/// one: it can then be handed from call to call and loop to loop without
/// growing. (Only one made by [`in_secs`](Deadline::in_secs) must be
/// [started](Deadline::started) for that.)
///
/// ```
/// use linda::{BadTimeout, Deadline};
/// use std::time::Duration;
///
/// assert!(Deadline::now().passed());
/// assert!(!Deadline::after(Duration::from_secs(60)).passed());
/// assert_eq!(Deadline::after_secs(1e300), Ok(Deadline::never()));
/// assert_eq!(Deadline::after_secs(f64::INFINITY), Ok(Deadline::never()));
/// assert_eq!(Deadline::after_secs(-1.0), Err(BadTimeout::Negative));
/// assert_eq!(Deadline::after_secs(f64::NAN), Err(BadTimeout::NotANumber));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deadline(When);

#[derive(Clone, Copy, Debug, PartialEq)]
enum When {
    /// Passed from the start: try once. Kept apart from `At` to save the clock.
    Now,
    At(Instant),
    /// So many seconds from now on, whenever that is: reading the clock takes
    /// as long as a call that need not wait.
    In(f64),
    Never,
}

impl Deadline {
    /// The deadline that never passes.
    ///
    /// ```
    /// use linda::Deadline;
    ///
    /// assert!(Deadline::never().is_never());
    /// ```
    pub const fn never() -> Self {
        Self(When::Never)
    }

    /// The deadline that has passed already: a call with it tries once.
    ///
    /// ```
    /// use linda::Deadline;
    ///
    /// assert!(Deadline::now().passed());
    /// ```
    pub const fn now() -> Self {
        Self(When::Now)
    }

    /// The deadline at this instant.
    ///
    /// ```
    /// use linda::Deadline;
    ///
    /// use std::time::Instant;
    ///
    /// assert!(Deadline::at(Instant::now()).passed());
    /// ```
    pub const fn at(instant: Instant) -> Self {
        Self(When::At(instant))
    }

    /// The deadline that lies `timeout` ahead; never, if the clock cannot
    /// count that far.
    ///
    /// ```
    /// use linda::Deadline;
    ///
    /// use std::time::Duration;
    ///
    /// assert!(!Deadline::after(Duration::from_secs(60)).passed());
    /// assert!(Deadline::after(Duration::MAX).is_never());
    /// ```
    pub fn after(timeout: Duration) -> Self {
        if timeout.is_zero() {
            return Self::now();
        }
        match Instant::now().checked_add(timeout) {
            Some(instant) => Self::at(instant),
            None => Self::never(),
        }
    }

    /// The deadline that lies `seconds` ahead. Huge and infinite are never.
    ///
    /// ```
    /// use linda::{BadTimeout, Deadline};
    ///
    /// assert_eq!(Deadline::after_secs(0.0), Ok(Deadline::now()));
    /// assert_eq!(Deadline::after_secs(-1.0), Err(BadTimeout::Negative));
    /// ```
    ///
    /// # Errors
    ///
    /// A negative number, or one that is not a number.
    pub fn after_secs(seconds: f64) -> Result<Self, BadTimeout> {
        Self::in_secs(seconds).map(Self::started)
    }

    /// The deadline that lies `seconds` ahead of the moment when it is first
    /// needed, for one call: if that need not wait, nobody looks at a clock.
    ///
    /// # Errors
    ///
    /// A negative number, or one that is not a number.
    pub fn in_secs(seconds: f64) -> Result<Self, BadTimeout> {
        if seconds.is_nan() {
            return Err(BadTimeout::NotANumber);
        }
        if seconds < 0.0 {
            return Err(BadTimeout::Negative);
        }
        Ok(if seconds == 0.0 {
            Self::now()
        } else if seconds == f64::INFINITY {
            Self::never()
        } else {
            Self(When::In(seconds))
        })
    }

    /// The same deadline as an instant: from now on the time runs.
    #[must_use]
    #[inline]
    pub fn started(self) -> Self {
        match self.0 {
            // What can fail is a number too large for a `Duration`.
            When::In(seconds) => {
                Duration::try_from_secs_f64(seconds).map_or(Self::never(), Self::after)
            }
            _ => self,
        }
    }

    /// Whether this is the deadline that never passes.
    ///
    /// ```
    /// use linda::Deadline;
    ///
    /// assert!(!Deadline::now().is_never());
    /// ```
    pub const fn is_never(self) -> bool {
        matches!(self.0, When::Never)
    }

    /// How long is left: zero when it has passed, `None` when it never will.
    ///
    /// ```
    /// use linda::Deadline;
    ///
    /// use std::time::Duration;
    ///
    /// assert_eq!(Deadline::never().remaining(), None);
    /// assert!(Deadline::after(Duration::from_secs(60)).remaining() <= Some(Duration::from_secs(60)));
    /// ```
    pub fn remaining(self) -> Option<Duration> {
        match self.started().0 {
            When::Now => Some(Duration::ZERO),
            When::At(instant) => Some(instant.saturating_duration_since(Instant::now())),
            When::Never | When::In(_) => None,
        }
    }

    /// Whether it has passed.
    ///
    /// ```
    /// use linda::Deadline;
    ///
    /// assert!(!Deadline::never().passed());
    /// ```
    pub fn passed(self) -> bool {
        match self.started().0 {
            When::Now => true,
            When::At(instant) => cfg!(rlanes_loom) || Instant::now() >= instant,
            When::Never | When::In(_) => false,
        }
    }

    /// The earlier of the two.
    ///
    /// ```
    /// use linda::Deadline;
    ///
    /// assert_eq!(Deadline::never().earlier(Deadline::now()), Deadline::now());
    /// ```
    #[must_use]
    pub fn earlier(self, other: Self) -> Self {
        let (this, other) = (self.started(), other.started());
        match (this.0, other.0) {
            (When::At(mine), When::At(theirs)) => Self::at(mine.min(theirs)),
            (When::Now, _) | (_, When::Never | When::In(_)) => this,
            (_, When::Now) | (When::Never | When::In(_), _) => other,
        }
    }

    /// Whether a call with it shall not wait at all.
    pub(crate) const fn is_poll(self) -> bool {
        matches!(self.0, When::Now)
    }
}

/// Why a number is no timeout.
///
/// ```
/// use linda::{BadTimeout, Deadline};
///
/// assert_eq!(Deadline::after_secs(f64::NAN), Err(BadTimeout::NotANumber));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadTimeout {
    /// It is below zero.
    Negative,
    /// It is NaN.
    NotANumber,
}

impl fmt::Display for BadTimeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Negative => "a timeout cannot be negative",
            Self::NotANumber => "a timeout must be a number",
        })
    }
}

impl std::error::Error for BadTimeout {}
