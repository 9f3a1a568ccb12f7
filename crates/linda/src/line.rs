//! [`Line`]: the waiters of one side of a slot, first come first in line.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::waiter::{Owed, Waiter};

/// The waiters that want to receive from a slot, or those that want to send to
/// it. It is part of what the slot's lock protects.
#[derive(Debug, Default)]
pub(crate) struct Line {
    /// Sorted by ticket.
    entries: VecDeque<Entry>,
    next_ticket: u64,
}

/// A place in a line. It is kept while the waiter is away because it was
/// selected, so that who woke in vain does not start again at the back.
pub(crate) type Ticket = u64;

/// One waiter in line.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) waiter: Arc<Waiter>,
    /// Which of the waiter's slots this is.
    pub(crate) index: usize,
    /// How many values, or how much room, the waiter cannot do without. Not 0.
    pub(crate) need: usize,
    pub(crate) ticket: Ticket,
}

impl Line {
    /// The next free place: at the back.
    pub(crate) fn draw_ticket(&mut self) -> Ticket {
        self.next_ticket += 1;
        self.next_ticket
    }

    /// Puts the waiter where its ticket says.
    pub(crate) fn enlist(&mut self, entry: Entry) {
        match self.find(entry.ticket) {
            Ok(_) => debug_assert!(false, "enlisted twice"),
            Err(place) => self.entries.insert(place, entry),
        }
    }

    /// Takes the holder of this ticket out of the line, if it is there.
    pub(crate) fn delist(&mut self, ticket: Ticket) {
        if let Ok(place) = self.find(ticket) {
            self.entries.remove(place);
        }
    }

    /// Selects waiters, front to back, until the sum of their needs reaches
    /// `budget`. A waiter that needs more than is `available` is passed over,
    /// as is one that another slot has selected.
    pub(crate) fn select(&mut self, available: usize, mut budget: usize, owed: &mut Owed) {
        let mut place = 0;
        while budget > 0 && place < self.entries.len() {
            let entry = &self.entries[place];
            if entry.need <= available && entry.waiter.select(entry.index) {
                budget = budget.saturating_sub(entry.need);
                self.leave(place, owed);
            } else {
                place += 1;
            }
        }
    }

    /// Selects every waiter, whatever it needs: something else has changed that
    /// it must see.
    pub(crate) fn select_all(&mut self, owed: &mut Owed) {
        self.select(usize::MAX, usize::MAX, owed);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// A selected waiter leaves the line; it enlists again if it woke in vain.
    fn leave(&mut self, place: usize, owed: &mut Owed) {
        if let Some(entry) = self.entries.remove(place) {
            owed.add(entry.waiter);
        }
    }

    fn find(&self, ticket: Ticket) -> Result<usize, usize> {
        self.entries
            .binary_search_by_key(&ticket, |entry| entry.ticket)
    }
}
