//! The states of a lane.
//!
//! | from      | to                                   | when                                  |
//! |-----------|--------------------------------------|---------------------------------------|
//! | pending   | running                              | its thread enters the body            |
//! | running   | waiting                              | a blocking call goes to sleep         |
//! | waiting   | running                              | that call has woken up                |
//! | running   | suspended                            | its body has yielded                  |
//! | suspended | resuming, then running               | `resume`, or a request that wakes it  |
//! | suspended | closing, then running                | `join`, a read of its results, or the |
//! |           |                                      | end of its handle                     |
//! | running   | done, error, cancelled               | its state is closed, its end is known |
//!
//! The final states never change. Only the lane's own thread changes its
//! status, but for resuming and closing; anybody may read it at any time.

/// Where a lane is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    /// Made, but its body was not entered yet.
    Pending,
    /// In its body or its finalizers.
    Running,
    /// Asleep in a call of a linda, or in `sleep`.
    Waiting,
    /// Its body has yielded, and nobody has resumed it.
    Suspended,
    /// About to go on after a yield.
    Resuming,
    /// About to be closed after a yield.
    Closing,
    /// The body returned.
    Done,
    /// The body or a finalizer raised an error.
    Error,
    /// The body was left by the cancellation.
    Cancelled,
}

impl Status {
    const ALL: [Status; 9] = [
        Status::Pending,
        Status::Running,
        Status::Waiting,
        Status::Suspended,
        Status::Resuming,
        Status::Closing,
        Status::Done,
        Status::Error,
        Status::Cancelled,
    ];

    /// The word that Lua programs see.
    pub fn word(self) -> &'static str {
        match self {
            Status::Pending => "pending",
            Status::Running => "running",
            Status::Waiting => "waiting",
            Status::Suspended => "suspended",
            Status::Resuming => "resuming",
            Status::Closing => "closing",
            Status::Done => "done",
            Status::Error => "error",
            Status::Cancelled => "cancelled",
        }
    }

    /// Whether the lane is over.
    pub fn is_final(self) -> bool {
        matches!(self, Status::Done | Status::Error | Status::Cancelled)
    }

    pub(crate) fn from_byte(byte: u8) -> Status {
        Status::ALL[usize::from(byte)]
    }
}

#[cfg(test)]
mod tests {
    use super::Status;

    #[test]
    fn bytes_round_trip() {
        for status in Status::ALL {
            assert_eq!(Status::from_byte(status as u8), status);
        }
    }
}
