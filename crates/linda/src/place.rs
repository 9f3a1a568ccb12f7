//! [`Place`]: a waiter's places in line, on every slot that it asked for.

use std::sync::Arc;
use std::task::Waker;

use smallvec::SmallVec;

use crate::line::{Entry, Ticket};
use crate::slot::{Side, Slot};
use crate::waiter::Waiter;

/// Few calls wait on more slots.
pub(crate) type Few<T> = SmallVec<[T; 4]>;

/// A waiter that is registered. Dropping it unregisters it and passes on what
/// it was owed and did not use, however the call ends.
pub(crate) struct Place<'a, M> {
    waiter: Arc<Waiter>,
    side: Side,
    need: usize,
    slots: Few<&'a Slot<M>>,
    tickets: Few<Ticket>,
    /// The slot that had selected the waiter when it was rearmed: its wake-up
    /// is not used yet.
    unused: Option<usize>,
    /// The slot on which the call succeeded.
    served: Option<usize>,
}

impl<'a, M> Place<'a, M> {
    /// Registers a waiter on these slots.
    pub(crate) fn register(slots: Few<&'a Slot<M>>, side: Side, need: usize, waker: Waker) -> Self {
        let mut place = Self {
            waiter: Waiter::new(waker),
            side,
            need,
            tickets: Few::with_capacity(slots.len()),
            slots,
            unused: None,
            served: None,
        };
        for (index, slot) in place.slots.iter().enumerate() {
            let waiter = Arc::clone(&place.waiter);
            let ticket = slot.enlist(side, |ticket| Entry {
                waiter,
                index,
                need,
                ticket,
            });
            place.tickets.push(ticket);
        }
        place
    }

    /// The waiter's tickets, in the order of its slots.
    pub(crate) fn tickets(&self) -> &[Ticket] {
        &self.tickets
    }

    /// After waking: if the waiter was selected, it may be selected again from
    /// now on, and has its old place. An attempt must follow.
    pub(crate) fn rearm(&mut self) {
        let Some(index) = self.waiter.rearm() else {
            return;
        };
        self.unused = Some(index);
        let waiter = Arc::clone(&self.waiter);
        let ticket = self.tickets[index];
        let entry = Entry {
            waiter,
            index,
            need: self.need,
            ticket,
        };
        self.slots[index].enlist_again(self.side, entry);
    }

    /// [`rearm`](Place::rearm) for a waiter that is to be woken by `waker` from
    /// now on, which need not be the one that was called.
    pub(crate) fn rearm_for(&mut self, waker: &Waker) {
        if self.waiter.will_wake(waker) {
            return self.rearm();
        }
        let new = Waiter::new(waker.clone());
        // Dropped when no lock is held: a waker is foreign code.
        let old = std::mem::replace(&mut self.waiter, new);
        // Who has selected the old one has meant the same party.
        self.unused = old.abandon();
        for (index, (slot, &ticket)) in self.slots.iter().zip(&self.tickets).enumerate() {
            let entry = Entry {
                waiter: Arc::clone(&self.waiter),
                index,
                need: self.need,
                ticket,
            };
            slot.enlist_instead(self.side, entry);
        }
    }

    /// After an attempt in vain: somebody else may have use for the wake-up.
    pub(crate) fn pass_on(&mut self) {
        if let Some(index) = self.unused.take() {
            self.slots[index].pass_on(self.side);
        }
    }

    /// After an attempt that succeeded on this slot, and left its line.
    pub(crate) fn serve(&mut self, index: usize) {
        self.served = Some(index);
    }
}

impl<M> Drop for Place<'_, M> {
    fn drop(&mut self) {
        let selected = self.waiter.abandon();
        for (slot, &ticket) in self.slots.iter().zip(&self.tickets) {
            slot.delist(self.side, ticket);
        }
        // Success uses up one wake-up of its slot. It cannot have come after
        // the success: the attempt took the waiter out of that line.
        for index in [self.unused, selected].into_iter().flatten() {
            if self.served == Some(index) {
                self.served = None;
            } else {
                self.slots[index].pass_on(self.side);
            }
        }
    }
}
