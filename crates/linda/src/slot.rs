//! [`Slot`]: one queue, its lock, and the waiters of both sides.
//!
//! Invariants, cited by number elsewhere:
//!
//! 1. Everything that changes a slot goes through [`Slot::with`]: lock, act,
//!    publish, unlock, pay. So under the lock nobody is woken, and no value is
//!    dropped, because `act` answers what it took out.
//! 2. What adds values selects receivers, what makes room selects senders, in
//!    the same locked section.
//! 3. The published numbers are hints: a spinner looks at them to leave the
//!    lock alone; every decision is made under the lock.

use std::sync::atomic::Ordering;

use crate::Batch;
use crate::line::{Entry, Line, Ticket};
use crate::queue::{Queue, Restriction};
use crate::sync::{Hinted, Mutex};
use crate::waiter::Owed;

/// Which of the two lines of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Receive,
    Send,
}

/// One key's FIFO.
///
/// What every operation touches comes first, on cache lines that it shares with
/// no other slot. (Measured: a tenth less time per hand-over.)
#[derive(Debug)]
#[repr(C, align(128))]
pub(crate) struct Slot<M> {
    state: Mutex<State<M>>,
    /// Hints, see invariant 3. No limit is `usize::MAX`.
    length: Hinted,
    limit: Hinted,
}

/// What the lock of a slot protects.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct State<M> {
    pub(crate) queue: Queue<M>,
    receivers: Line,
    senders: Line,
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
            state: Mutex::new(State {
                queue: Queue::new(),
                receivers: Line::default(),
                senders: Line::default(),
            }),
            length: Hinted::new(0),
            limit: Hinted::new(usize::MAX),
        }
    }

    /// The one way to a slot's state, see invariant 1.
    #[inline]
    pub(crate) fn with<R>(&self, act: impl FnOnce(&mut State<M>, &mut Owed) -> R) -> R {
        let mut owed = Owed::nothing();
        let result = {
            let mut state = self.state.lock();
            let result = act(&mut state, &mut owed);
            self.publish(&state.queue);
            result
        };
        owed.pay();
        result
    }

    fn publish(&self, queue: &Queue<M>) {
        self.length.store(queue.values.len(), Ordering::Relaxed);
        self.limit
            .store(queue.limit.unwrap_or(usize::MAX), Ordering::Relaxed);
    }

    /// How many values there were a moment ago.
    pub(crate) fn length_hint(&self) -> usize {
        self.length.load(Ordering::Relaxed)
    }

    /// Whether there was room a moment ago for a sender that need not hurry.
    ///
    /// It holds out for half of a slot that was full: then the two sides do not
    /// fight for the lock over every single value. (Measured: a third less time
    /// per value of 512 bytes with a limit of 100.) A sender that goes to sleep
    /// takes what room there is.
    pub(crate) fn room_hint(&self, need: usize) -> bool {
        let limit = self.limit.load(Ordering::Relaxed);
        limit.saturating_sub(self.length_hint()) >= need.max(limit / 2)
    }

    /// Sends the whole batch, of `need` values, or nothing.
    /// The sender that holds this ticket leaves the line with success.
    #[inline]
    pub(crate) fn send(
        &self,
        batch: &mut impl Batch<M>,
        need: usize,
        ticket: Option<Ticket>,
    ) -> Result<(), Refused> {
        self.with(|state, owed| {
            if !state.queue.restriction.allows_send_receive() {
                return Err(Refused::Restricted);
            }
            if need > state.queue.room() {
                return Err(Refused::NotNow);
            }
            let before = state.queue.values.len();
            batch.drain_into(&mut state.queue.values);
            state.queue.listed = true;
            state.leave(Side::Send, ticket);
            state.select(Side::Receive, state.queue.values.len() - before, owed);
            Ok(())
        })
    }

    /// Takes the oldest value.
    /// The receiver that holds this ticket leaves the line with success.
    #[inline]
    pub(crate) fn receive(&self, ticket: Option<Ticket>) -> Result<M, Refused> {
        let mut spare = None;
        self.with(|state, owed| {
            if !state.queue.restriction.allows_send_receive() {
                return Err(Refused::Restricted);
            }
            let value = state.queue.take_one().ok_or(Refused::NotNow)?;
            spare = state.queue.spare();
            state.leave(Side::Receive, ticket);
            state.select(Side::Send, 1, owed);
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
        let mut spare = None;
        self.with(|state, owed| {
            if !state.queue.restriction.allows_send_receive() {
                return Err(Refused::Restricted);
            }
            if state.queue.values.len() < min {
                return Err(Refused::NotNow);
            }
            let count = state.queue.values.len().min(max);
            state.queue.take(count, &mut taken);
            spare = state.queue.spare();
            state.leave(Side::Receive, ticket);
            state.select(Side::Send, count, owed);
            Ok(())
        })?;
        Ok(taken)
    }

    /// Puts a waiter in line for the first time.
    pub(crate) fn enlist(&self, side: Side, entry: impl FnOnce(Ticket) -> Entry) -> Ticket {
        self.with(|state, _| {
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
        let state = self.state.get_mut();
        state.queue.is_idle() && state.receivers.is_empty() && state.senders.is_empty()
    }
}

impl<M> State<M> {
    /// Selects waiters of this side for what is there. `budget` is how much of
    /// it is new, `usize::MAX` for all of it.
    #[inline]
    pub(crate) fn select(&mut self, side: Side, budget: usize, owed: &mut Owed) {
        let line = match side {
            Side::Receive => &mut self.receivers,
            Side::Send => &mut self.senders,
        };
        if line.is_empty() {
            return;
        }
        let available = match side {
            Side::Receive => self.queue.values.len(),
            Side::Send => self.queue.room(),
        };
        line.select(available, budget.min(available), owed);
    }

    /// Selects everybody on this side.
    pub(crate) fn select_all(&mut self, side: Side, owed: &mut Owed) {
        self.line(side).select_all(owed);
    }

    /// Changes the restriction. Everybody who waits must see it.
    pub(crate) fn restrict(&mut self, restriction: Restriction, owed: &mut Owed) -> Restriction {
        let previous = std::mem::replace(&mut self.queue.restriction, restriction);
        self.queue.listed = true;
        if previous != restriction {
            self.select_all(Side::Receive, owed);
            self.select_all(Side::Send, owed);
        }
        previous
    }

    fn line(&mut self, side: Side) -> &mut Line {
        match side {
            Side::Receive => &mut self.receivers,
            Side::Send => &mut self.senders,
        }
    }

    fn leave(&mut self, side: Side, ticket: Option<Ticket>) {
        if let Some(ticket) = ticket {
            self.line(side).delist(ticket);
        }
    }
}
