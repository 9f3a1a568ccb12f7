//! [`Slot`]: one queue with two ends, their locks, and the waiters of both sides.
//!
//! Receivers take from the front, senders put in at the back, each under a lock
//! of its own. When the front runs empty, all of the back is moved there at
//! once. So two parties that are busy meet once in many values, and otherwise
//! find their lock and what is behind it in the cache of their processor.
//!
//! Invariants, cited by number elsewhere:
//!
//! 1. What concerns both ends, and whatever concerns waiters, goes through
//!    [`Slot::with`]: lock the front, then the back, act, publish, unlock, pay.
//!    So under the locks nobody is woken, and no value is dropped, because `act`
//!    answers what it took out.
//! 2. What adds values selects receivers, what makes room selects senders, in
//!    the same locked section.
//! 3. A line is under the lock of the end that it waits for: receivers under
//!    that of the back, which senders take, and senders under that of the front.
//!    Who finds the line empty has nobody to select and may do with one lock
//!    (*the short way*); who does not lets go and takes both.
//! 4. The front is published, under its lock, in `front_len`. It grows under
//!    both locks only: who holds the lock of the back sees how many values the
//!    front holds at most.
//! 5. The other published numbers are hints: a spinner looks at them to leave
//!    the locks alone; every decision is made under a lock, but for one: who is
//!    not in line may take the slot for empty if they say so.
//! 6. What spinning senders look at has a cache line of its own, and receivers
//!    write it now and then only (`stride`): each look takes the line away from
//!    them. It may say that more is left than is, never by more than a stride,
//!    and a sender that gives up spinning looks at what is so.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering;

use crate::Batch;
use crate::line::{Entry, Line, Ticket};
use crate::queue::{Back, Front, Queue, Restriction};
use crate::sync::{AtomicUsize, Hinted, Mutex, MutexGuard};
use crate::waiter::Owed;

/// For so much room a sender holds out that spins, if the limit is large.
const HOLD_OUT: usize = 32;
/// So many values at most are taken between two times that spinning senders are
/// told how many are left; not more than they hold out for.
const STRIDE: usize = 16;

/// The stride of a slot with this limit: a power of two.
fn stride(limit: usize) -> usize {
    1 << (limit / 8).clamp(1, STRIDE).ilog2()
}

/// Which of the two lines of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Receive,
    Send,
}

/// One key's FIFO.
#[derive(Debug)]
pub(crate) struct Slot<M> {
    front: FrontEnd<M>,
    left: Left,
    back: BackEnd<M>,
}

/// How many values the front held when a spinning sender was last told, see
/// invariant 6.
#[derive(Debug)]
#[repr(align(128))]
struct Left(Hinted);

/// What receivers touch, on cache lines of its own.
#[derive(Debug)]
#[repr(C, align(128))]
struct FrontEnd<M> {
    state: Mutex<End<Front<M>>>,
    /// How many values the front holds, see invariant 4.
    len: AtomicUsize,
    /// Not 0 if the restriction forbids to receive.
    closed: Hinted,
}

/// What senders touch, on cache lines of its own.
#[derive(Debug)]
#[repr(C, align(128))]
struct BackEnd<M> {
    state: Mutex<End<Back<M>>>,
    /// Hints, see invariant 5. No limit is `usize::MAX`.
    len: Hinted,
    limit: Hinted,
}

/// One end of the queue, and who waits for what happens there.
#[derive(Debug)]
#[repr(C)]
struct End<T> {
    queue: T,
    line: Line,
}

impl<T> End<T> {
    fn new(queue: T) -> Mutex<Self> {
        let line = Line::default();
        Mutex::new(Self { queue, line })
    }
}

/// A slot whose locks are both held.
pub(crate) struct State<'a, M> {
    pub(crate) queue: Queue<'a, M>,
    senders: &'a mut Line,
    receivers: &'a mut Line,
}

/// How an attempt under the lock ended that did not succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// Too few values, or too little room.
    NotNow,
    /// The restriction forbids it.
    Restricted,
}

impl<M> Slot<M> {
    pub(crate) fn new() -> Self {
        Self {
            front: FrontEnd {
                state: End::new(Front::new()),
                len: AtomicUsize::new(0),
                closed: Hinted::new(0),
            },
            left: Left(Hinted::new(0)),
            back: BackEnd {
                state: End::new(Back::new()),
                len: Hinted::new(0),
                limit: Hinted::new(usize::MAX),
            },
        }
    }

    /// The way to all of a slot's state, see invariant 1.
    pub(crate) fn with<R>(&self, act: impl FnOnce(&mut State<'_, M>, &mut Owed) -> R) -> R {
        self.with_front(self.front.state.lock(), act)
    }

    /// The same for who holds the lock of the front already.
    fn with_front<R>(
        &self,
        mut front: MutexGuard<'_, End<Front<M>>>,
        act: impl FnOnce(&mut State<'_, M>, &mut Owed) -> R,
    ) -> R {
        let mut owed = Owed::nothing();
        let result = {
            let mut back = self.back.state.lock();
            let result = act(&mut State::new(&mut front, &mut back), &mut owed);
            // Relaxed: what is known of the front is known through the locks.
            let left = front.queue.values.len();
            self.front.len.store(left, Ordering::Relaxed);
            self.left.0.store(left, Ordering::Relaxed);
            let closed = !back.queue.restriction().allows_send_receive();
            self.front.closed.store(closed.into(), Ordering::Relaxed);
            self.publish_back(&back.queue);
            let limit = back.queue.limit().unwrap_or(usize::MAX);
            self.back.limit.store(limit, Ordering::Relaxed);
            front.queue.stride = stride(limit);
            result
        };
        drop(front);
        owed.pay();
        result
    }

    fn publish_back(&self, back: &Back<M>) {
        // Release: partner of the Acquire in `seems_empty`. Who sees that the
        // back was moved to the front sees the front.
        self.back.len.store(back.values.len(), Ordering::Release);
    }

    /// Whether there was nothing to be received or refused a moment ago. What
    /// happened before the call is seen by it.
    #[inline]
    pub(crate) fn seems_empty(&self) -> bool {
        // Who finds something at the front leaves the senders' cache line alone.
        // Who does not must look there again: what was at the back may have been
        // moved between the first look and that at the back.
        self.front_len() == 0
            && self.back.len.load(Ordering::Acquire) == 0
            && self.front_len() == 0
            && self.front.closed.load(Ordering::Relaxed) == 0
    }

    /// How many values there were a moment ago.
    pub(crate) fn length_hint(&self) -> usize {
        self.back.len.load(Ordering::Relaxed) + self.front_len()
    }

    /// How many values the front holds; see invariant 4.
    #[inline]
    fn front_len(&self) -> usize {
        self.front.len.load(Ordering::Relaxed)
    }

    /// Whether there was room a moment ago for a sender that need not hurry.
    ///
    /// It holds out for half of a slot that was full, or for [`HOLD_OUT`]: then
    /// the two sides do not meet over every single value. (Measured: a third
    /// less time per value of 512 bytes with a limit of 100.) A sender that goes
    /// to sleep takes what room there is.
    pub(crate) fn room_hint(&self, need: usize) -> bool {
        let limit = self.back.limit.load(Ordering::Relaxed);
        let length = self.back.len.load(Ordering::Relaxed) + self.left.0.load(Ordering::Relaxed);
        limit.saturating_sub(length) >= need.max(HOLD_OUT.min(limit / 2))
    }

    /// Sends the whole batch, of `need` values, or nothing. Success brings back
    /// a spent value in `spare`, if that has none and there is one.
    /// The sender that holds this ticket leaves the line with success.
    #[inline]
    pub(crate) fn send(
        &self,
        batch: &mut impl Batch<M>,
        need: usize,
        spare: &mut Option<M>,
        ticket: Option<Ticket>,
    ) -> Result<(), Refused> {
        let mut back = self.back.state.lock();
        // The short way, see invariant 3.
        if back.line.is_empty() && ticket.is_none() {
            let queue = &mut back.queue;
            if !queue.restriction().allows_send_receive() {
                return Err(Refused::Restricted);
            }
            if !queue.has_room(need, || self.front_len()) {
                return Err(Refused::NotNow);
            }
            queue.put(batch, need);
            if spare.is_none() {
                *spare = queue.spares.pop();
            }
            self.publish_back(queue);
            return Ok(());
        }
        drop(back);
        self.send_to_waiters(batch, need, ticket)
    }

    #[cold]
    fn send_to_waiters(
        &self,
        batch: &mut impl Batch<M>,
        need: usize,
        ticket: Option<Ticket>,
    ) -> Result<(), Refused> {
        self.with(|state, owed| {
            if !state.queue.restriction().allows_send_receive() {
                return Err(Refused::Restricted);
            }
            if need > state.queue.room() {
                return Err(Refused::NotNow);
            }
            // What a batch that panics has put in is there, and is for those
            // who wait.
            let put = catch_unwind(AssertUnwindSafe(|| state.queue.back.put(batch, need)));
            state.leave(Side::Send, ticket);
            state.select(Side::Receive, need, owed);
            Ok(put)
        })
        .map(|put| put.unwrap_or_else(|panic| resume_unwind(panic)))
    }

    /// Takes the oldest value. Success takes `spent` off the caller, if it has
    /// one and fewer than `most` are there.
    /// The receiver that holds this ticket leaves the line with success.
    #[inline]
    pub(crate) fn receive(
        &self,
        spent: &mut Option<M>,
        most: usize,
        ticket: Option<Ticket>,
    ) -> Result<M, Refused> {
        let mut front = self.front.state.lock();
        if !front.queue.restriction().allows_send_receive() {
            return Err(Refused::Restricted);
        }
        // The short way, see invariant 3.
        if front.line.is_empty()
            && ticket.is_none()
            && let Some(value) = front
                .queue
                .take_one(|| self.back.len.load(Ordering::Relaxed) == 0)
        {
            front.queue.spend(spent, most);
            let left = front.queue.values.len();
            self.front.len.store(left, Ordering::Relaxed);
            if left & (front.queue.stride - 1) == 0 {
                self.left.0.store(left, Ordering::Relaxed);
            }
            // Freed after unlocking.
            let unused = front.queue.unused();
            drop(front);
            drop(unused);
            return Ok(value);
        }
        let mut unused = None;
        self.with_front(front, |state, owed| {
            let value = state.queue.take_one().ok_or(Refused::NotNow)?;
            state.queue.front.spend(spent, most);
            unused = state.queue.front.unused();
            state.leave(Side::Receive, ticket);
            if !state.senders.is_empty() {
                state.select(Side::Send, 1, owed);
            }
            Ok(value)
        })
    }

    /// Takes the oldest values, from `min` up to `max`.
    /// The receiver that holds this ticket leaves the line with success.
    pub(crate) fn receive_batched(
        &self,
        min: usize,
        max: usize,
        ticket: Option<Ticket>,
    ) -> Result<Vec<M>, Refused> {
        let mut taken = Vec::with_capacity(self.length_hint().min(max));
        let mut unused = None;
        self.with(|state, owed| {
            if !state.queue.restriction().allows_send_receive() {
                return Err(Refused::Restricted);
            }
            if state.queue.len() < min {
                return Err(Refused::NotNow);
            }
            let count = state.queue.len().min(max);
            state.queue.take(count, &mut taken);
            unused = state.queue.front.unused();
            state.leave(Side::Receive, ticket);
            state.select(Side::Send, count, owed);
            Ok(())
        })?;
        Ok(taken)
    }

    /// Puts a waiter in line for the first time.
    pub(crate) fn enlist(&self, side: Side, entry: impl FnOnce(Ticket) -> Entry) -> Ticket {
        let mut spares = None;
        self.with(|state, _| {
            // Where receivers sleep there is no hurry, and memory is better freed.
            if side == Side::Receive {
                spares = Some(state.queue.take_spares());
            }
            let line = state.line(side);
            let ticket = line.draw_ticket();
            line.enlist(entry(ticket));
            ticket
        })
    }

    /// Puts a waiter back in its place.
    pub(crate) fn enlist_again(&self, side: Side, entry: Entry) {
        self.with(|state, _| state.line(side).enlist(entry));
    }

    /// Puts a waiter in the place of another one that has the same ticket.
    pub(crate) fn enlist_instead(&self, side: Side, entry: Entry) {
        self.with(|state, _| {
            let line = state.line(side);
            line.delist(entry.ticket);
            line.enlist(entry);
        });
    }

    /// Takes a waiter out of the line.
    pub(crate) fn delist(&self, side: Side, ticket: Ticket) {
        self.with(|state, _| state.line(side).delist(ticket));
    }

    /// Passes on a wake-up of this slot that its owner had no use for.
    pub(crate) fn pass_on(&self, side: Side) {
        self.with(|state, owed| state.select(side, usize::MAX, owed));
    }

    /// Whether the slot, to which nobody else has a way, holds nothing that a
    /// fresh one would not.
    pub(crate) fn is_idle(&mut self) -> bool {
        let (front, back) = (self.front.state.get_mut(), self.back.state.get_mut());
        let state = State::new(front, back);
        state.queue.is_idle() && state.receivers.is_empty() && state.senders.is_empty()
    }
}

impl<'a, M> State<'a, M> {
    fn new(front: &'a mut End<Front<M>>, back: &'a mut End<Back<M>>) -> Self {
        Self {
            queue: Queue {
                front: &mut front.queue,
                back: &mut back.queue,
            },
            senders: &mut front.line,
            receivers: &mut back.line,
        }
    }

    /// Selects waiters of this side for what is there. `budget` is how much of
    /// it is new, `usize::MAX` for all of it.
    #[inline]
    pub(crate) fn select(&mut self, side: Side, budget: usize, owed: &mut Owed) {
        let available = match side {
            Side::Receive => self.queue.len(),
            Side::Send => self.queue.room(),
        };
        self.line(side)
            .select(available, budget.min(available), owed);
    }

    /// Selects everybody on this side.
    pub(crate) fn select_all(&mut self, side: Side, owed: &mut Owed) {
        self.line(side).select_all(owed);
    }

    /// Changes the restriction. Everybody who waits must see it.
    pub(crate) fn restrict(&mut self, restriction: Restriction, owed: &mut Owed) -> Restriction {
        let previous = self.queue.set_restriction(restriction);
        if previous != restriction {
            self.select_all(Side::Receive, owed);
            self.select_all(Side::Send, owed);
        }
        previous
    }

    fn line(&mut self, side: Side) -> &mut Line {
        match side {
            Side::Receive => self.receivers,
            Side::Send => self.senders,
        }
    }

    fn leave(&mut self, side: Side, ticket: Option<Ticket>) {
        if let Some(ticket) = ticket {
            self.line(side).delist(ticket);
        }
    }
}

#[cfg(all(test, not(rlanes_loom)))]
mod tests {
    use super::*;

    const LIMITS: [usize; 12] = [0, 1, 2, 7, 8, 9, 31, 64, 100, 1000, 1 << 40, usize::MAX];

    #[test]
    fn a_stride_is_no_longer_than_senders_hold_out_for() {
        for limit in LIMITS {
            let stride = stride(limit);
            assert!(stride.is_power_of_two(), "{limit}");
            assert!(stride <= HOLD_OUT.min(limit / 2).max(1), "{limit}");
        }
    }

    /// Invariant 6.
    #[test]
    fn what_spinners_see_is_at_most_a_stride_behind() {
        for limit in [1, 2, 9, 31, 64, 100, 1000] {
            let slot = Slot::new();
            slot.with(|state, _| state.queue.set_limit(Some(limit)));
            for round in 1..=3 {
                for value in 0..limit {
                    slot.send(&mut Some(value), 1, &mut None, None).unwrap();
                }
                assert!(!slot.room_hint(1), "{limit}");
                for taken in 1..=limit {
                    slot.receive(&mut None, 0, None).unwrap();
                    let (shown, left) = (slot.left.0.load(Ordering::Relaxed), limit - taken);
                    assert_eq!(slot.front_len(), left);
                    assert!(shown >= left, "{limit}, round {round}");
                    assert!(shown - left < stride(limit), "{limit}, round {round}");
                }
                assert!(slot.room_hint(limit), "{limit}");
            }
        }
    }
}
