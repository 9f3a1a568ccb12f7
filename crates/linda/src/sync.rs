//! Time, threads and locks: the one place they come from, so that loom can replace them.
//!
//! Built with `--cfg rlanes_loom`, the same names are loom's, which lets the
//! tests in `tests/loom.rs` explore every interleaving of the protocol.

#[cfg(not(rlanes_loom))]
pub(crate) use self::real::*;

#[cfg(rlanes_loom)]
pub(crate) use self::model::*;

/// An atomic that nothing in the protocol relies on: what spinners look at.
/// It is the standard one under loom too, because exploring it proves nothing.
pub(crate) use std::sync::atomic::AtomicUsize as Hinted;

#[cfg(not(rlanes_loom))]
mod real {
    pub(crate) use parking_lot::{Mutex, MutexGuard};
    pub(crate) use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize};
    pub(crate) use tokio_util::sync::{
        CancellationToken as Signal, WaitForCancellationFuture as Signalled,
    };

    use crate::Deadline;

    /// A thread that can be blocked and woken.
    #[derive(Debug)]
    pub(crate) struct Thread(std::thread::Thread);

    impl Thread {
        /// The calling thread.
        pub(crate) fn current() -> Self {
            Self(std::thread::current())
        }

        /// Blocks this thread, which is the calling one, until it is unparked
        /// or the deadline has passed, or for no reason. Answers `false` when
        /// the deadline had passed already.
        pub(crate) fn park_until(&self, deadline: Deadline) -> bool {
            match deadline.remaining() {
                None => std::thread::park(),
                Some(left) if left.is_zero() => return false,
                Some(left) => std::thread::park_timeout(left),
            }
            true
        }

        pub(crate) fn unpark(&self) {
            self.0.unpark();
        }
    }
}

#[cfg(rlanes_loom)]
mod model {
    pub(crate) use loom::sync::MutexGuard;
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize};

    use std::future::Future;
    use std::pin::Pin;
    use std::task::{Context, Poll, Waker};

    use crate::Deadline;

    /// loom's mutex with the face of `parking_lot`'s.
    #[derive(Debug, Default)]
    pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        pub(crate) fn lock(&self) -> loom::sync::MutexGuard<'_, T> {
            self.0.lock().unwrap()
        }

        pub(crate) fn get_mut(&mut self) -> &mut T {
            self.0.get_mut().unwrap()
        }
    }

    /// A thread that can be blocked and woken, once more than loom's own: that
    /// one, when it is unparked while it waits for a lock, goes on without it.
    #[derive(Debug)]
    pub(crate) struct Thread {
        unparked: Mutex<bool>,
        changed: loom::sync::Condvar,
    }

    impl Thread {
        pub(crate) fn current() -> Self {
            Self {
                unparked: Mutex::new(false),
                changed: loom::sync::Condvar::new(),
            }
        }

        /// A model has no clock. Every deadline that is not *never* passes as
        /// soon as somebody sleeps on it: loom then tries each order of that
        /// moment and the steps of the other threads, which is what a clock
        /// would do.
        pub(crate) fn park_until(&self, deadline: Deadline) -> bool {
            if !deadline.is_never() {
                return false;
            }
            let mut unparked = self.unparked.lock();
            while !*unparked {
                unparked = self.changed.wait(unparked).unwrap();
            }
            *unparked = false;
            true
        }

        pub(crate) fn unpark(&self) {
            *self.unparked.lock() = true;
            self.changed.notify_one();
        }
    }

    /// The part of `tokio_util::sync::CancellationToken` that is used here.
    #[derive(Debug)]
    pub(crate) struct Signal(Mutex<(bool, Vec<Waker>)>);

    impl Signal {
        pub(crate) fn new() -> Self {
            Self(Mutex::new((false, Vec::new())))
        }

        pub(crate) fn cancel(&self) {
            let wakers = {
                let mut state = self.0.lock();
                state.0 = true;
                std::mem::take(&mut state.1)
            };
            for waker in wakers {
                waker.wake();
            }
        }

        pub(crate) fn cancelled(&self) -> Signalled<'_> {
            Signalled(self)
        }
    }

    pub(crate) struct Signalled<'a>(&'a Signal);

    impl Future for Signalled<'_> {
        type Output = ();

        fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
            let mut state = self.0.0.lock();
            if state.0 {
                return Poll::Ready(());
            }
            state.1.push(context.waker().clone());
            Poll::Pending
        }
    }
}
