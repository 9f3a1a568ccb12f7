//! Why something did not go through a linda.

use std::fmt;

use linda::{AccessError, Cause, ReceiveError};

use super::value::Value;

/// Why nothing was sent or received, read or changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Failure {
    /// The time is over; for calls that try once: there was nothing, or no room.
    Timeout,
    /// The linda is cancelled, from Lua or from Rust.
    Cancelled,
    /// The Lua state that the linda was taken from has closed, and there is
    /// nothing left, or no room.
    Closed,
    /// The slot is restricted to the other way of using it: as a queue, or as a
    /// variable.
    Restricted,
    /// There are no values to send.
    Empty,
    /// A string is too long to travel: more than 4 GiB.
    TooLong,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Failure::Timeout => "timeout",
            Failure::Cancelled => "the linda is cancelled",
            Failure::Closed => "the Lua state is closed",
            Failure::Restricted => "the slot is restricted",
            Failure::Empty => "no data to send",
            Failure::TooLong => "the string is too long",
        })
    }
}

impl std::error::Error for Failure {}

impl From<Failure> for mlua::Error {
    fn from(failure: Failure) -> mlua::Error {
        mlua::Error::external(failure)
    }
}

impl From<ReceiveError> for Failure {
    fn from(error: ReceiveError) -> Failure {
        match error {
            ReceiveError::Timeout => Failure::Timeout,
            ReceiveError::Cancelled(Cause::Linda) => Failure::Cancelled,
            ReceiveError::Cancelled(Cause::Soft | Cause::Hard) => Failure::Closed,
            ReceiveError::Restricted => Failure::Restricted,
        }
    }
}

impl From<linda::SendError> for Failure {
    fn from(error: linda::SendError) -> Failure {
        match error {
            linda::SendError::Timeout => Failure::Timeout,
            linda::SendError::Cancelled(Cause::Linda) => Failure::Cancelled,
            linda::SendError::Cancelled(Cause::Soft | Cause::Hard) => Failure::Closed,
            linda::SendError::Restricted => Failure::Restricted,
            linda::SendError::Empty => Failure::Empty,
        }
    }
}

impl From<AccessError> for Failure {
    fn from(error: AccessError) -> Failure {
        match error {
            AccessError::Cancelled => Failure::Cancelled,
            AccessError::Restricted => Failure::Restricted,
        }
    }
}

/// Why nothing was sent, and what was not.
#[derive(Clone, Debug, PartialEq)]
pub struct SendError<T = Value> {
    /// Why.
    pub why: Failure,
    /// What was to be sent.
    pub value: T,
}

impl<T> fmt::Display for SendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nothing was sent: {}", self.why)
    }
}

impl<T: fmt::Debug> std::error::Error for SendError<T> {}

impl<T: fmt::Debug + Send + Sync + 'static> From<SendError<T>> for mlua::Error {
    fn from(error: SendError<T>) -> mlua::Error {
        mlua::Error::external(error)
    }
}
