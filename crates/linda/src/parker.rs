//! [`Parker`]: how a thread sleeps until its waker is called.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Wake, Waker};

use crate::Deadline;
use crate::sync::{AtomicBool, Thread};

/// One sleeping place of one thread. Its waker may be called from anywhere, any
/// number of times, before, during or after the sleep.
///
/// The flag, not the return of the thread's `park`, says that the waker was
/// called: `park` also returns for no reason, and for the reasons of others.
#[derive(Debug)]
pub(crate) struct Parker {
    thread: Thread,
    notified: AtomicBool,
}

impl Parker {
    /// A sleeping place of the calling thread.
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            thread: Thread::current(),
            notified: AtomicBool::new(false),
        })
    }

    /// The waker that ends [`Parker::park`].
    pub(crate) fn waker(self: &Arc<Self>) -> Waker {
        Waker::from(Arc::clone(self))
    }

    /// Sleeps until the waker is called or the deadline has passed, never less.
    /// Only the thread that made the parker may call this.
    pub(crate) fn park(&self, deadline: Deadline) {
        // Acquire: partner of the Release in `wake_by_ref`; what the waking
        // thread did before is seen by who is woken.
        while !self.notified.swap(false, Ordering::Acquire) {
            if !self.thread.park_until(deadline) {
                break;
            }
        }
    }
}

impl Wake for Parker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Release: partner of the Acquire in `park`. A second call finds the
        // flag up: the first one unparks.
        if !self.notified.swap(true, Ordering::Release) {
            self.thread.unpark();
        }
    }
}
