//! [`Wait`]: the recipe of the calls that may wait, for tasks of an executor.
//!
//! The same steps as in `blocking.rs`, but for spinning: a task that has to
//! wait lets its thread run others.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::blocking::{Attempt, Operation};
use crate::place::Place;
use crate::sync::Signalled;
use crate::{Cancel, Cause};

/// Performs the operation, suspending the task until it succeeds or must end.
///
/// One that is dropped took nothing and sent nothing: an attempt that succeeds
/// makes it ready in the same poll.
///
/// It is a type of its own, and not an `async fn`, so that the compiler can tell
/// in every context whether it may go to another thread.
#[must_use = "futures do nothing unless polled"]
pub(crate) struct Wait<'a, M, O> {
    cancel: &'a Cancel,
    operation: O,
    registered: Option<Registered<'a, M>>,
}

/// What a task has that waits.
struct Registered<'a, M> {
    /// Has the task's waker called by the cancellation.
    signalled: Pin<Box<Signalled<'a>>>,
    /// Unregisters and passes on when it is dropped.
    place: Place<'a, M>,
}

impl<'a, M, O> Wait<'a, M, O> {
    pub(crate) fn new(cancel: &'a Cancel, operation: O) -> Self {
        Self {
            cancel,
            operation,
            registered: None,
        }
    }
}

/// Nothing in it is used pinned but what lies in a box.
impl<M, O> Unpin for Wait<'_, M, O> {}

impl<'a, M: 'a, O: Operation<'a, M>> Future for Wait<'a, M, O> {
    type Output = Result<O::Output, O::Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let ready = this.poll_once(context);
        if ready.is_ready() {
            // Unregister and pass on.
            this.registered = None;
        }
        ready
    }
}

impl<'a, M: 'a, O: Operation<'a, M>> Wait<'a, M, O> {
    fn poll_once(&mut self, context: &mut Context<'_>) -> Poll<Result<O::Output, O::Error>> {
        let operation = &mut self.operation;
        let registered = match &mut self.registered {
            Some(registered) => {
                // Ready or not: the level says it.
                let _ = registered.signalled.as_mut().poll(context);
                registered.place.rearm_for(context.waker());
                registered
            }
            registered => {
                if let Some(error) = operation.refused() {
                    return Poll::Ready(Err(error));
                }
                // Check for cancellation, and try.
                if let Some(cause) = cause(self.cancel, operation) {
                    return Poll::Ready(Err(cause.into()));
                }
                match operation.attempt(&[]) {
                    Attempt::Done(_, output) => return Poll::Ready(Ok(output)),
                    Attempt::Failed(error) => return Poll::Ready(Err(error)),
                    Attempt::Blocked => {}
                }
                // Register on every slot.
                let mut signalled = Box::pin(self.cancel.signal());
                let _ = signalled.as_mut().poll(context);
                let (slots, need) = (operation.slots(), operation.need());
                let place = Place::register(slots, O::SIDE, need, context.waker().clone());
                registered.insert(Registered { signalled, place })
            }
        };
        // Check for cancellation, and try again.
        if let Some(cause) = cause(self.cancel, operation) {
            return Poll::Ready(Err(cause.into()));
        }
        let place = &mut registered.place;
        match operation.attempt(place.tickets()) {
            Attempt::Done(index, output) => {
                place.serve(index);
                Poll::Ready(Ok(output))
            }
            Attempt::Failed(error) => Poll::Ready(Err(error)),
            Attempt::Blocked => {
                place.pass_on();
                Poll::Pending
            }
        }
    }
}

fn cause<'a, M: 'a, O: Operation<'a, M>>(cancel: &Cancel, operation: &O) -> Option<Cause> {
    cancel
        .cause()
        .or_else(|| operation.cancelled().then_some(Cause::Linda))
}
