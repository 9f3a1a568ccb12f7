//! [`Queue`]: what a slot stores, with no thought of threads: its two ends,
//! [`Front`] and [`Back`].

use std::collections::VecDeque;

use crate::Batch;

/// What may be done with a slot.
///
/// ```
/// use linda::{Linda, Restriction};
///
/// let linda = Linda::<&str, i32>::new();
/// let slot = linda.slot(&"variable");
/// linda.restrict(&slot, Some(Restriction::SetGet))?;
/// assert_eq!(linda.restrict(&slot, None)?, Restriction::SetGet);
/// # Ok::<(), linda::AccessError>(())
/// ```
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
///
/// ```
/// use linda::{Fill, Linda};
///
/// let linda = Linda::<&str, i32>::new();
/// let slot = linda.slot(&"queue");
/// linda.set_limit(&slot, Some(1))?;
/// for (values, fill) in [(vec![], Fill::Under), (vec![1], Fill::Exact), (vec![1, 2], Fill::Over)] {
///     assert_eq!(linda.set(&slot, values)?.fill, fill);
/// }
/// # Ok::<(), linda::AccessError>(())
/// ```
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
///
/// ```
/// use linda::{Change, Fill, Linda};
///
/// let linda = Linda::<&str, i32>::new();
/// let change = linda.set(&linda.slot(&"state"), vec![1])?;
/// assert_eq!(change, Change { woke: false, fill: Fill::Under });
/// # Ok::<(), linda::AccessError>(())
/// ```
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
///
/// ```
/// use linda::{Linda, Restriction, SlotDump};
///
/// let linda = Linda::<&str, i32>::new();
/// linda.set(&linda.slot(&"state"), vec![7])?;
/// let (_, dump) = linda.dump().remove(0);
/// let expected = SlotDump { first: 1, limit: None, restriction: Restriction::None, values: vec![7] };
/// assert_eq!(dump, expected);
/// # Ok::<(), linda::AccessError>(())
/// ```
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

/// An end that ran empty keeps a buffer of up to this many values.
const KEPT_CAPACITY: usize = 1024;

/// Where values are taken out.
///
/// Nothing in here or in [`Back`] drops a value: what is taken out is handed to
/// the caller.
#[derive(Debug)]
pub(crate) struct Front<M> {
    /// The oldest values.
    pub(crate) values: VecDeque<M>,
    /// See [`SlotDump::first`].
    first: u64,
    /// The slot's restriction, once more: a receive looks at this end only.
    restriction: Restriction,
    /// What receivers have no use for any more, on its way back to senders.
    pub(crate) spent: Vec<M>,
    /// Each time that the number of values is a multiple of this, which is a
    /// power of two, spinning senders are told.
    pub(crate) stride: usize,
}

/// Where values are put in, with the settings of the slot.
#[derive(Debug)]
pub(crate) struct Back<M> {
    /// The newest values: those that came since the front last ran empty.
    pub(crate) values: VecDeque<M>,
    limit: Option<usize>,
    restriction: Restriction,
    /// Whether `count` and `dump` know the slot: something was stored or set.
    pub(crate) listed: bool,
    /// So much room there is at least: how much there was when somebody last
    /// looked, less what was sent since. Receivers make more.
    credit: usize,
    /// Values to be used again by senders.
    pub(crate) spares: Vec<M>,
}

impl<M> Front<M> {
    pub(crate) const fn new() -> Self {
        Self {
            values: VecDeque::new(),
            first: 1,
            restriction: Restriction::None,
            spent: Vec::new(),
            stride: 1,
        }
    }

    pub(crate) fn restriction(&self) -> Restriction {
        self.restriction
    }

    /// The oldest value, unless this end is empty.
    #[inline]
    pub(crate) fn take_one(&mut self, back_is_empty: impl FnOnce() -> bool) -> Option<M> {
        let value = self.values.pop_front()?;
        self.taken(1, back_is_empty);
        Some(value)
    }

    #[inline]
    fn taken(&mut self, count: usize, back_is_empty: impl FnOnce() -> bool) {
        self.first = if self.values.is_empty() && back_is_empty() {
            1
        } else {
            self.first + count as u64
        };
    }

    /// The buffer, if it is empty and not worth keeping: to be freed after
    /// unlocking.
    #[inline]
    pub(crate) fn unused(&mut self) -> Option<VecDeque<M>> {
        let unused = self.values.is_empty() && self.values.capacity() > KEPT_CAPACITY;
        unused.then(|| std::mem::take(&mut self.values))
    }

    /// Keeps a value that is of no use any more, unless there are `most`.
    #[inline]
    pub(crate) fn spend(&mut self, spent: &mut Option<M>, most: usize) {
        if self.spent.len() < most
            && let Some(value) = spent.take()
        {
            self.spent.push(value);
        }
    }
}

impl<M> Back<M> {
    pub(crate) const fn new() -> Self {
        Self {
            values: VecDeque::new(),
            limit: None,
            restriction: Restriction::None,
            listed: false,
            credit: usize::MAX,
            spares: Vec::new(),
        }
    }

    pub(crate) fn restriction(&self) -> Restriction {
        self.restriction
    }

    pub(crate) fn limit(&self) -> Option<usize> {
        self.limit
    }

    /// Whether there is room for so many values, if the front holds `front`
    /// at most.
    #[inline]
    pub(crate) fn has_room(&mut self, need: usize, front: impl FnOnce() -> usize) -> bool {
        if need > self.credit {
            self.credit = room(self.limit, self.values.len() + front());
        }
        need <= self.credit
    }

    /// Puts in a batch of `need` values, for which there is room.
    #[inline]
    pub(crate) fn put(&mut self, batch: &mut impl Batch<M>, need: usize) {
        // The batch comes last: if it panics half-way, the rest is right.
        self.listed = true;
        // Without a limit the credit stays what it is.
        if self.limit.is_some() {
            self.credit = self.credit.saturating_sub(need);
        }
        batch.drain_into(&mut self.values);
    }
}

fn room(limit: Option<usize>, length: usize) -> usize {
    match limit {
        Some(limit) => limit.saturating_sub(length),
        None => usize::MAX,
    }
}

/// A FIFO with its settings: both ends together, the values of the front first.
#[derive(Debug)]
pub(crate) struct Queue<'a, M> {
    pub(crate) front: &'a mut Front<M>,
    pub(crate) back: &'a mut Back<M>,
}

impl<M> Queue<'_, M> {
    pub(crate) fn len(&self) -> usize {
        self.front.values.len() + self.back.values.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn limit(&self) -> Option<usize> {
        self.back.limit
    }

    pub(crate) fn set_limit(&mut self, limit: Option<usize>) {
        self.back.limit = limit;
        self.back.listed = true;
        self.recount();
    }

    pub(crate) fn restriction(&self) -> Restriction {
        self.back.restriction
    }

    pub(crate) fn set_restriction(&mut self, restriction: Restriction) -> Restriction {
        self.front.restriction = restriction;
        self.back.listed = true;
        std::mem::replace(&mut self.back.restriction, restriction)
    }

    /// How many more values a sender may put in.
    pub(crate) fn room(&self) -> usize {
        room(self.back.limit, self.len())
    }

    pub(crate) fn fill(&self) -> Fill {
        let length = self.len();
        match self.back.limit {
            Some(limit) if length > limit => Fill::Over,
            Some(limit) if length == limit => Fill::Exact,
            _ => Fill::Under,
        }
    }

    /// The oldest value.
    #[inline]
    pub(crate) fn take_one(&mut self) -> Option<M> {
        if self.front.values.is_empty() {
            self.refill();
        }
        self.front.take_one(|| self.back.values.is_empty())
    }

    /// The oldest `count` values, of at least as many, into `taken`.
    pub(crate) fn take(&mut self, count: usize, taken: &mut Vec<M>) {
        let front = count.min(self.front.values.len());
        taken.extend(self.front.values.drain(..front));
        if front < count {
            self.refill();
            taken.extend(self.front.values.drain(..count - front));
        }
        self.front.taken(count, || self.back.values.is_empty());
    }

    /// Moves what came meanwhile to the front, which is empty, and what was
    /// spent meanwhile to the back.
    fn refill(&mut self) {
        debug_assert!(self.front.values.is_empty());
        std::mem::swap(&mut self.front.values, &mut self.back.values);
        if self.back.spares.len() < self.front.spent.len() {
            std::mem::swap(&mut self.back.spares, &mut self.front.spent);
        }
    }

    fn take_all(&mut self) -> [VecDeque<M>; 2] {
        [
            std::mem::take(&mut self.front.values),
            std::mem::take(&mut self.back.values),
        ]
    }

    /// What senders and receivers keep for each other: to be dropped after
    /// unlocking.
    pub(crate) fn take_spares(&mut self) -> [Vec<M>; 2] {
        [
            std::mem::take(&mut self.front.spent),
            std::mem::take(&mut self.back.spares),
        ]
    }

    /// Puts these values in the place of all that there are, which are answered.
    pub(crate) fn replace(&mut self, values: VecDeque<M>) -> [VecDeque<M>; 2] {
        self.back.listed = !values.is_empty() || !self.is_plain();
        self.front.first = 1;
        let all = self.take_all();
        self.front.values = values;
        self.recount();
        all
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

    /// The oldest value, in its place.
    pub(crate) fn oldest(&mut self) -> Option<&mut M> {
        self.front
            .values
            .front_mut()
            .or_else(|| self.back.values.front_mut())
    }

    /// Whether a fresh slot would do as well.
    pub(crate) fn is_idle(&self) -> bool {
        self.is_empty() && self.is_plain()
    }

    fn is_plain(&self) -> bool {
        self.back.limit.is_none() && self.back.restriction == Restriction::None
    }

    fn recount(&mut self) {
        self.back.credit = self.room();
    }
}

impl<M: Clone> Queue<'_, M> {
    /// Copies of the oldest values, up to `count`, into `copies`.
    pub(crate) fn peek(&self, count: usize, copies: &mut Vec<M>) {
        copies.extend(self.iter().take(count).cloned());
    }

    /// All but the values, whose copies go into `copies`.
    pub(crate) fn dump(&self, copies: &mut Vec<M>) -> SlotDump<M> {
        self.peek(usize::MAX, copies);
        SlotDump {
            first: self.front.first,
            limit: self.back.limit,
            restriction: self.back.restriction,
            values: Vec::new(),
        }
    }

    fn iter(&self) -> impl Iterator<Item = &M> {
        self.front.values.iter().chain(&self.back.values)
    }
}
