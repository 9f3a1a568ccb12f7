//! [`Queue`]: what a slot stores, with no thought of threads.

use std::collections::VecDeque;

/// What may be done with a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Restriction {
    /// Everything.
    #[default]
    None,
    /// Send and receive, but neither set nor get.
    SendReceive,
    /// Set and get, but neither send nor receive.
    SetGet,
}

impl Restriction {
    pub(crate) fn allows_send_receive(self) -> bool {
        self != Self::SetGet
    }

    pub(crate) fn allows_set_get(self) -> bool {
        self != Self::SendReceive
    }
}

/// How the number of values in a slot compares with its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fill {
    /// There is room. A slot without a limit is always under it.
    Under,
    /// There are exactly as many values as the limit allows.
    Exact,
    /// There are more, because of a set or a lowered limit.
    Over,
}

/// What a set or a new limit did to a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Change {
    /// The slot was at or over its limit before, and is under it now.
    pub woke: bool,
    /// How full it is now.
    pub fill: Fill,
}

/// The contents and settings of one slot, as [`Linda::dump`] finds them.
///
/// [`Linda::dump`]: crate::Linda::dump
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotDump<M> {
    /// The number of the oldest value: it grows as values are taken and is 1
    /// again when the slot runs empty.
    pub first: u64,
    /// How many values senders may fill it to.
    pub limit: Option<usize>,
    /// What may be done with it.
    pub restriction: Restriction,
    /// The values, oldest first.
    pub values: Vec<M>,
}

/// A queue that ran empty keeps a buffer of up to this many values.
const KEPT_CAPACITY: usize = 1024;

/// A FIFO with its settings. Nothing in here drops a value: what is taken out
/// is handed to the caller.
#[derive(Debug)]
pub(crate) struct Queue<M> {
    pub(crate) values: VecDeque<M>,
    pub(crate) limit: Option<usize>,
    pub(crate) restriction: Restriction,
    /// Whether `count` and `dump` know the slot: something was stored or set.
    pub(crate) listed: bool,
    /// See [`SlotDump::first`].
    first: u64,
}

impl<M> Queue<M> {
    pub(crate) const fn new() -> Self {
        Self {
            values: VecDeque::new(),
            limit: None,
            restriction: Restriction::None,
            listed: false,
            first: 1,
        }
    }

    /// How many more values a sender may put in.
    pub(crate) fn room(&self) -> usize {
        match self.limit {
            Some(limit) => limit.saturating_sub(self.values.len()),
            None => usize::MAX,
        }
    }

    pub(crate) fn fill(&self) -> Fill {
        match self.limit {
            Some(limit) if self.values.len() > limit => Fill::Over,
            Some(limit) if self.values.len() == limit => Fill::Exact,
            _ => Fill::Under,
        }
    }

    /// The oldest value.
    #[inline]
    pub(crate) fn take_one(&mut self) -> Option<M> {
        let value = self.values.pop_front()?;
        self.taken(1);
        Some(value)
    }

    /// The oldest `count` values, of at least as many, into `taken`.
    pub(crate) fn take(&mut self, count: usize, taken: &mut Vec<M>) {
        taken.extend(self.values.drain(..count));
        self.taken(count);
    }

    /// The buffer, if the queue is empty and it is not worth keeping: to be
    /// freed after unlocking.
    #[inline]
    pub(crate) fn spare(&mut self) -> Option<VecDeque<M>> {
        let spare = self.values.is_empty() && self.values.capacity() > KEPT_CAPACITY;
        spare.then(|| std::mem::take(&mut self.values))
    }

    /// Puts these values in the place of all that there are, which are answered.
    pub(crate) fn replace(&mut self, values: VecDeque<M>) -> VecDeque<M> {
        self.listed = !values.is_empty() || !self.is_plain();
        self.first = 1;
        std::mem::replace(&mut self.values, values)
    }

    /// Does the bookkeeping of a change of settings or contents.
    pub(crate) fn change(&mut self, act: impl FnOnce(&mut Self)) -> Change {
        let was = self.fill();
        act(self);
        let fill = self.fill();
        Change {
            woke: was != Fill::Under && fill == Fill::Under,
            fill,
        }
    }

    /// Whether a fresh slot would do as well.
    pub(crate) fn is_idle(&self) -> bool {
        self.values.is_empty() && self.is_plain()
    }

    fn is_plain(&self) -> bool {
        self.limit.is_none() && self.restriction == Restriction::None
    }

    #[inline]
    fn taken(&mut self, count: usize) {
        self.first = if self.values.is_empty() {
            1
        } else {
            self.first + count as u64
        };
    }
}

impl<M: Clone> Queue<M> {
    /// Copies of the oldest values, up to `count`, into `copies`.
    pub(crate) fn peek(&self, count: usize, copies: &mut Vec<M>) {
        copies.extend(self.values.iter().take(count).cloned());
    }

    pub(crate) fn dump(&self) -> SlotDump<M> {
        SlotDump {
            first: self.first,
            limit: self.limit,
            restriction: self.restriction,
            values: self.values.iter().cloned().collect(),
        }
    }
}
