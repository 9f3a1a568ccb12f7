//! What can go wrong: one small type per kind of operation.

use std::fmt;

/// Why a blocked call was cancelled.
///
/// ```
/// use linda::{Cancel, Cause, Deadline, Level, Party, Spin};
///
/// let (cancel, spin) = (Cancel::new(), Spin::new());
/// cancel.request(Level::Hard, true);
/// assert_eq!(Cancel::wait(&Party::new(&cancel, &spin), Deadline::never()), Err(Cause::Hard));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The linda was cancelled.
    Linda,
    /// The party was asked to stop at its convenience.
    Soft,
    /// The party was told to stop.
    Hard,
}

/// Why nothing was sent. The caller still owns the values.
///
/// ```
/// use linda::{Cancel, Deadline, Linda, Party, SendError, Spin};
///
/// let linda = Linda::<&str, i32>::new();
/// let (cancel, spin) = (Cancel::new(), Spin::new());
/// let party = Party::new(&cancel, &spin);
/// let slot = linda.slot(&"full");
/// linda.set_limit(&slot, Some(0))?;
/// let mut value = Some(1);
/// assert_eq!(linda.send(&party, &slot, &mut value, Deadline::now()), Err(SendError::Timeout));
/// assert_eq!(value, Some(1));
/// # Ok::<(), linda::AccessError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SendError {
    /// The deadline passed while there was no room.
    Timeout,
    /// The linda or the party was cancelled.
    Cancelled(Cause),
    /// The slot allows only set and get.
    Restricted,
    /// There was nothing to send.
    Empty,
}

/// Why nothing was received. Nothing was taken.
///
/// ```
/// use linda::{Cancel, Deadline, Linda, Party, ReceiveError, Spin};
///
/// let linda = Linda::<&str, i32>::new();
/// let (cancel, spin) = (Cancel::new(), Spin::new());
/// let party = Party::new(&cancel, &spin);
/// let outcome = linda.receive(&party, &[linda.slot(&"empty")], Deadline::now());
/// assert_eq!(outcome, Err(ReceiveError::Timeout));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReceiveError {
    /// The deadline passed while there were too few values.
    Timeout,
    /// The linda or the party was cancelled.
    Cancelled(Cause),
    /// The scan reached a slot that allows only set and get.
    Restricted,
}

/// Why an operation that does not block did nothing.
///
/// ```
/// use linda::{AccessError, Hint, Linda};
///
/// let linda = Linda::<&str, i32>::new();
/// linda.cancel(Hint::Both);
/// assert_eq!(linda.set(&linda.slot(&"state"), vec![1]), Err(AccessError::Cancelled));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessError {
    /// The linda is cancelled.
    Cancelled,
    /// The slot allows only send and receive.
    Restricted,
}

impl From<Cause> for SendError {
    fn from(cause: Cause) -> Self {
        Self::Cancelled(cause)
    }
}

impl From<Cause> for ReceiveError {
    fn from(cause: Cause) -> Self {
        Self::Cancelled(cause)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Linda => "the linda is cancelled",
            Self::Soft => "cancelled",
            Self::Hard => "cancelled hard",
        })
    }
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout => f.write_str("timeout"),
            Self::Cancelled(cause) => cause.fmt(f),
            Self::Restricted => f.write_str("the slot allows only set and get"),
            Self::Empty => f.write_str("no data to send"),
        }
    }
}

impl fmt::Display for ReceiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout => f.write_str("timeout"),
            Self::Cancelled(cause) => cause.fmt(f),
            Self::Restricted => f.write_str("the slot allows only set and get"),
        }
    }
}

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cancelled => "the linda is cancelled",
            Self::Restricted => "the slot allows only send and receive",
        })
    }
}

impl std::error::Error for SendError {}
impl std::error::Error for ReceiveError {}
impl std::error::Error for AccessError {}
