//! [`block`]: the one recipe of every call that may block.
//!
//! The words and the proof are in `README.md`.

use std::marker::PhantomData;

use crate::line::Ticket;
use crate::parker::Parker;
use crate::place::{Few, Place};
use crate::slot::{Side, Slot};
use crate::spin::Look;
use crate::{Cause, Deadline, Party};

/// What a blocking call does in the steps of the recipe.
pub(crate) trait Operation<'a, M: 'a> {
    type Output;
    type Error: From<Cause>;

    /// The line it waits in.
    const SIDE: Side;
    /// How many pauses it makes between two looks while it spins.
    const PAUSES: u32;
    /// What it answers when the deadline has passed.
    const TIMEOUT: Self::Error;

    /// What is wrong with it before anything is looked at.
    #[inline]
    fn refused(&self) -> Option<Self::Error> {
        None
    }

    /// How many values, or how much room, it cannot do without.
    fn need(&self) -> usize;

    /// The slots it asks for, in order.
    fn slots(&self) -> Few<&'a Slot<M>>;

    /// Whether a linda it works on is cancelled.
    fn cancelled(&self) -> bool;

    /// Whether an attempt seems worth it. Takes no lock.
    fn promising(&self) -> bool;

    /// Tries. A registered waiter hands in its tickets.
    fn attempt(&mut self, tickets: &[Ticket]) -> Attempt<Self::Output, Self::Error>;
}

/// How an attempt ended.
pub(crate) enum Attempt<T, E> {
    /// With success, on the slot of this index.
    Done(usize, T),
    /// With an error that waiting cannot cure.
    Failed(E),
    /// Nothing was taken and nothing was sent; waiting may help.
    Blocked,
}

/// Performs the operation, blocking until it succeeds or must end.
#[inline]
pub(crate) fn block<'a, M: 'a, O: Operation<'a, M>>(
    party: &Party<'_>,
    deadline: Deadline,
    mut operation: O,
) -> Result<O::Output, O::Error> {
    if let Some(error) = operation.refused() {
        return Err(error);
    }
    // Check for cancellation: a cancelled party does not even try.
    if let Some(cause) = cause(party, &operation) {
        return Err(cause.into());
    }
    // Try.
    match operation.attempt(&[]) {
        Attempt::Done(_, output) => return Ok(output),
        Attempt::Failed(error) => return Err(error),
        Attempt::Blocked if deadline.is_poll() => return Err(O::TIMEOUT),
        Attempt::Blocked => {}
    }
    // Spin briefly, yield a few times.
    let deadline = deadline.started();
    let mut look = Trying(operation, PhantomData);
    match party.spin.watch(deadline, O::PAUSES, &mut look) {
        Some(result) => result,
        None => sleep(party, deadline, look.0),
    }
}

/// An operation that is tried as soon as that seems worth it.
struct Trying<'a, M: 'a, O: Operation<'a, M>>(O, PhantomData<&'a M>);

impl<'a, M: 'a, O: Operation<'a, M>> Look for Trying<'a, M, O> {
    type Seen = Result<O::Output, O::Error>;

    #[inline]
    fn look(&mut self) -> Option<Self::Seen> {
        if !self.sees_more() {
            return None;
        }
        match self.0.attempt(&[]) {
            Attempt::Done(_, output) => Some(Ok(output)),
            Attempt::Failed(error) => Some(Err(error)),
            Attempt::Blocked => None,
        }
    }

    #[inline]
    fn sees_more(&self) -> bool {
        self.0.promising()
    }
}

/// The second half of the recipe, for calls that must sleep.
#[cold]
fn sleep<'a, M: 'a, O: Operation<'a, M>>(
    party: &Party<'_>,
    deadline: Deadline,
    mut operation: O,
) -> Result<O::Output, O::Error> {
    let parker = Parker::new();
    let waker = parker.waker();
    party.cancel.attend(&waker, || {
        // Register on every slot.
        let slots = operation.slots();
        let mut place = Place::register(slots, O::SIDE, operation.need(), waker.clone());
        let mut watch = party.watch();
        let mut last = false;
        loop {
            // Check for cancellation, and try again: what happened before the
            // registration woke nobody; what happens after it wakes us.
            if let Some(cause) = cause(party, &operation) {
                return Err(cause.into());
            }
            match operation.attempt(place.tickets()) {
                Attempt::Done(index, output) => {
                    place.serve(index);
                    return Ok(output);
                }
                Attempt::Failed(error) => return Err(error),
                Attempt::Blocked if last => return Err(O::TIMEOUT),
                Attempt::Blocked => place.pass_on(),
            }
            // Wait until woken or deadline.
            watch.waiting();
            parker.park(party.next_look(deadline));
            place.rearm();
            // The deadline grants one last try: a value that is there is taken.
            last = deadline.passed();
        }
        // Unregister and pass on: when `place` is dropped.
    })
}

fn cause<'a, M: 'a, O: Operation<'a, M>>(party: &Party<'_>, operation: &O) -> Option<Cause> {
    party
        .cancel
        .cause()
        .or_else(|| operation.cancelled().then_some(Cause::Linda))
}
