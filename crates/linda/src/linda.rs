//! [`Linda`]: a keyed set of slots, and everything about it that never blocks.

use std::collections::VecDeque;
use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::map::Slots;
use crate::slot::{Side, Slot};
use crate::sync::AtomicBool;
use crate::{AccessError, Change, Fill, Restriction, SlotDump};

/// A keyed set of slots. A slot is a FIFO of values with a limit, a restriction
/// and its own lock and waiters: parties that use different keys do not meet.
///
/// `K` names slots. Cloning, hashing, comparing and dropping a key must be cheap
/// and run no foreign code: it is done under the lock of the map (a drop is not).
///
/// `M` is what travels. Cloning it must be as cheap (the bump of a reference
/// count, a small copy) and run no foreign code: [`get`](Linda::get) and
/// [`dump`](Linda::dump) do it under the lock of the slot. It is never dropped
/// under a lock.
///
/// A linda is shared by reference, commonly in an `Arc`. Every operation is
/// atomic for its slot.
///
/// ```
/// use linda::Linda;
///
/// let linda = Linda::<&str, i32>::new();
/// let slot = linda.slot(&"state");
/// linda.set(&slot, vec![1, 2])?;
/// assert_eq!(linda.get(&slot, 1)?, [1]);
/// # Ok::<(), linda::AccessError>(())
/// ```
pub struct Linda<K, M> {
    slots: Slots<K, M>,
    cancelled: AtomicBool,
}

/// A handle to one slot of a linda: cheap to clone, and found once instead of
/// with every operation. While it exists the slot is the one in the map.
///
/// It goes with the linda that it came from; the operations of another one do
/// not know when its linda is cancelled.
///
/// ```
/// use linda::Linda;
///
/// let linda = Linda::<String, i32>::new();
/// let slot = linda.slot(&"state".to_owned());
/// let same = slot.clone();
/// linda.set(&slot, vec![1])?;
/// assert_eq!(linda.get(&same, 1)?, [1]);
/// # Ok::<(), linda::AccessError>(())
/// ```
pub struct SlotRef<K, M> {
    slot: Arc<Slot<M>>,
    marker: PhantomData<fn(K)>,
}

/// Which of those who wait are meant.
///
/// ```
/// use linda::{Hint, Linda};
///
/// let linda = Linda::<&str, i32>::new();
/// linda.cancel(Hint::Read); // those who want to receive are woken
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hint {
    /// Those who want to receive.
    Read,
    /// Those who want to send.
    Write,
    /// All.
    Both,
    /// Nobody.
    None,
}

/// Whether a linda is in use.
///
/// ```
/// use linda::{Hint, Linda, Status};
///
/// let linda = Linda::<&str, i32>::new();
/// assert_eq!(linda.status(), Status::Active);
/// linda.cancel(Hint::Both);
/// assert_eq!(linda.status(), Status::Cancelled);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// It is.
    Active,
    /// It was cancelled.
    Cancelled,
}

impl<K: Eq + Hash + Clone, M: Clone> Linda<K, M> {
    /// An empty linda.
    ///
    /// ```
    /// let linda = linda::Linda::<&str, i32>::new();
    /// assert!(linda.counts().is_empty());
    /// ```
    pub fn new() -> Self {
        Self {
            slots: Slots::new(),
            cancelled: AtomicBool::new(false),
        }
    }

    /// The slot of this key, which is made if need be.
    ///
    /// A slot that is empty, has no limit and no restriction, and to which
    /// there is no `SlotRef`, may be removed when another one is made.
    ///
    /// ```
    /// let linda = linda::Linda::<&str, i32>::new();
    /// let slot = linda.slot(&"state");
    /// assert_eq!(linda.count(&"state"), None); // made, but not listed: nothing was stored
    /// linda.set(&slot, vec![1])?;
    /// assert_eq!(linda.count(&"state"), Some(1));
    /// # Ok::<(), linda::AccessError>(())
    /// ```
    pub fn slot(&self, key: &K) -> SlotRef<K, M> {
        SlotRef {
            slot: self.slots.get_or_insert(key),
            marker: PhantomData,
        }
    }

    /// The slot of this key, if there is one. It need not be listed.
    ///
    /// ```
    /// let linda = linda::Linda::<&str, i32>::new();
    /// assert!(linda.existing(&"state").is_none());
    /// let _slot = linda.slot(&"state");
    /// assert!(linda.existing(&"state").is_some());
    /// ```
    pub fn existing(&self, key: &K) -> Option<SlotRef<K, M>> {
        self.slots.get(key).map(|slot| SlotRef {
            slot,
            marker: PhantomData,
        })
    }

    /// Replaces the contents of the slot, whatever its limit. No value clears
    /// it: without limit and restriction it is then unlisted, like one that was
    /// never used; else it keeps its settings.
    ///
    /// Wakes those who wait for values, and those who wait for room if there is
    /// more of it now. The old values are dropped before the call returns.
    ///
    /// ```
    /// use linda::{Change, Fill, Linda};
    ///
    /// let linda = Linda::<&str, i32>::new();
    /// let slot = linda.slot(&"state");
    /// linda.set_limit(&slot, Some(1))?;
    /// assert_eq!(linda.set(&slot, vec![1, 2])?, Change { woke: false, fill: Fill::Over });
    /// assert_eq!(linda.set(&slot, vec![])?, Change { woke: true, fill: Fill::Under });
    /// # Ok::<(), linda::AccessError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The linda is cancelled, or the slot is for send and receive only.
    pub fn set(&self, slot: &SlotRef<K, M>, values: Vec<M>) -> Result<Change, AccessError> {
        self.check()?;
        let mut values = VecDeque::from(values);
        // What `values` holds on refusal, and what was in the slot, is dropped
        // at the end of this function, after the locks are gone.
        let (mut old, mut spares) = (None, None);
        slot.inner().with(|state, owed| {
            if !state.queue.restriction().allows_set_get() {
                return Err(AccessError::Restricted);
            }
            if values.is_empty() {
                spares = Some(state.queue.take_spares());
            }
            let change = state.queue.change(|queue| {
                old = Some(queue.replace(std::mem::take(&mut values)));
            });
            state.select(Side::Receive, usize::MAX, owed);
            state.select(Side::Send, usize::MAX, owed);
            Ok(change)
        })
    }

    /// Copies of the oldest values, up to `count`. They stay in the slot.
    ///
    /// ```
    /// let linda = linda::Linda::<&str, i32>::new();
    /// let slot = linda.slot(&"state");
    /// linda.set(&slot, vec![1, 2, 3])?;
    /// assert_eq!(linda.get(&slot, 2)?, [1, 2]);
    /// assert_eq!(linda.count(&"state"), Some(3));
    /// # Ok::<(), linda::AccessError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The linda is cancelled, or the slot is for send and receive only.
    pub fn get(&self, slot: &SlotRef<K, M>, count: usize) -> Result<Vec<M>, AccessError> {
        self.check()?;
        let slot = slot.inner();
        let mut copies = Vec::with_capacity(slot.length_hint().min(count));
        slot.with(|state, _| {
            if !state.queue.restriction().allows_set_get() {
                return Err(AccessError::Restricted);
            }
            state.queue.peek(count, &mut copies);
            Ok(())
        })?;
        Ok(copies)
    }

    /// Puts `value` in the place of the oldest one if `expected` accepts that.
    /// Answers whether it did; `false` also for an empty slot.
    ///
    /// With [`get`](Linda::get) it makes a read-modify-write loop in which no
    /// change of others is lost. Nobody is woken: the number of values stays.
    ///
    /// ```
    /// use linda::Linda;
    ///
    /// let linda = Linda::<&str, i32>::new();
    /// let slot = linda.slot(&"counter");
    /// linda.set(&slot, vec![7])?;
    /// assert!(!linda.exchange(&slot, |seen| *seen == 6, 8)?);
    /// assert!(linda.exchange(&slot, |seen| *seen == 7, 8)?);
    /// assert_eq!(linda.get(&slot, 2)?, [8]);
    /// # Ok::<(), linda::AccessError>(())
    /// ```
    ///
    /// `expected` runs under the lock of the slot: it must only compare.
    ///
    /// # Errors
    ///
    /// The linda is cancelled, or the slot is for send and receive only.
    pub fn exchange(
        &self,
        slot: &SlotRef<K, M>,
        expected: impl FnOnce(&M) -> bool,
        value: M,
    ) -> Result<bool, AccessError> {
        self.check()?;
        // The old value, or on refusal the new one, is dropped at the end of
        // this function, after the lock is gone.
        let mut value = value;
        slot.inner().with(|state, _| {
            if !state.queue.restriction().allows_set_get() {
                return Err(AccessError::Restricted);
            }
            let Some(oldest) = state.queue.oldest().filter(|seen| expected(seen)) else {
                return Ok(false);
            };
            std::mem::swap(oldest, &mut value);
            Ok(true)
        })
    }

    /// Sets up to how many values senders may fill the slot; `None` is no limit.
    /// The values that are there stay, even if they are more.
    ///
    /// Wakes those who wait for room if there is more of it now.
    ///
    /// ```
    /// use linda::{Change, Fill, Linda};
    ///
    /// let linda = Linda::<&str, i32>::new();
    /// let slot = linda.slot(&"queue");
    /// linda.set(&slot, vec![1, 2])?;
    /// assert_eq!(linda.set_limit(&slot, Some(2))?, Change { woke: false, fill: Fill::Exact });
    /// assert_eq!(linda.set_limit(&slot, None)?, Change { woke: true, fill: Fill::Under });
    /// # Ok::<(), linda::AccessError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The linda is cancelled.
    pub fn set_limit(
        &self,
        slot: &SlotRef<K, M>,
        limit: Option<usize>,
    ) -> Result<Change, AccessError> {
        self.check()?;
        Ok(slot.inner().with(|state, owed| {
            let change = state.queue.change(|queue| queue.set_limit(limit));
            state.select(Side::Send, usize::MAX, owed);
            change
        }))
    }

    /// The limit of the slot, and how it compares with what is there.
    ///
    /// ```
    /// use linda::{Fill, Linda};
    ///
    /// let linda = Linda::<&str, i32>::new();
    /// let slot = linda.slot(&"queue");
    /// assert_eq!(linda.limit(&slot)?, (None, Fill::Under));
    /// # Ok::<(), linda::AccessError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The linda is cancelled.
    pub fn limit(&self, slot: &SlotRef<K, M>) -> Result<(Option<usize>, Fill), AccessError> {
        self.check()?;
        Ok(slot
            .inner()
            .with(|state, _| (state.queue.limit(), state.queue.fill())))
    }

    /// Sets what may be done with the slot, and answers what might be before;
    /// with `None`, only answers what may be.
    ///
    /// A change wakes everybody who waits on the slot, so that they see it.
    ///
    /// ```
    /// use linda::{AccessError, Linda, Restriction};
    ///
    /// let linda = Linda::<&str, i32>::new();
    /// let slot = linda.slot(&"queue");
    /// assert_eq!(linda.restrict(&slot, Some(Restriction::SendReceive))?, Restriction::None);
    /// assert_eq!(linda.set(&slot, vec![1]), Err(AccessError::Restricted));
    /// # Ok::<(), AccessError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The linda is cancelled.
    pub fn restrict(
        &self,
        slot: &SlotRef<K, M>,
        restriction: Option<Restriction>,
    ) -> Result<Restriction, AccessError> {
        self.check()?;
        Ok(slot.inner().with(|state, owed| match restriction {
            Some(restriction) => state.restrict(restriction, owed),
            None => state.queue.restriction(),
        }))
    }

    /// How many values the slot of this key holds; `None` if it is not listed:
    /// nothing was ever stored there, or it was cleared.
    ///
    /// ```
    /// let linda = linda::Linda::<&str, i32>::new();
    /// linda.set(&linda.slot(&"a"), vec![1, 2])?;
    /// assert_eq!((linda.count(&"a"), linda.count(&"b")), (Some(2), None));
    /// # Ok::<(), linda::AccessError>(())
    /// ```
    pub fn count(&self, key: &K) -> Option<usize> {
        count(&*self.slots.get(key)?)
    }

    /// How many values each listed slot holds, in no order.
    ///
    /// ```
    /// let linda = linda::Linda::<&str, i32>::new();
    /// linda.set(&linda.slot(&"a"), vec![1, 2])?;
    /// assert_eq!(linda.counts(), [("a", 2)]);
    /// # Ok::<(), linda::AccessError>(())
    /// ```
    pub fn counts(&self) -> Vec<(K, usize)> {
        self.slots
            .all()
            .into_iter()
            .filter_map(|(key, slot)| Some((key, count(&slot)?)))
            .collect()
    }

    /// The contents and settings of each listed slot, in no order. Each slot is
    /// looked at by itself: they need not have been so at the same time.
    ///
    /// ```
    /// let linda = linda::Linda::<&str, i32>::new();
    /// linda.set(&linda.slot(&"a"), vec![1, 2])?;
    /// let (key, slot) = &linda.dump()[0];
    /// assert_eq!((*key, slot.values.as_slice(), slot.limit), ("a", [1, 2].as_slice(), None));
    /// # Ok::<(), linda::AccessError>(())
    /// ```
    pub fn dump(&self) -> Vec<(K, SlotDump<M>)> {
        self.slots
            .all()
            .into_iter()
            .filter_map(|(key, slot)| {
                // Out here: were a copy to panic, the others would be dropped,
                // and that is done under no lock.
                let mut values = Vec::new();
                let dump = slot.with(|state, _| {
                    let queue = &state.queue;
                    queue.back.listed.then(|| queue.dump(&mut values))
                })?;
                Some((key, SlotDump { values, ..dump }))
            })
            .collect()
    }

    /// Cancels the linda and wakes those who are meant: their calls, and later
    /// ones of everybody, end with the cancellation. [`Hint::None`] makes it
    /// usable again. Contents and settings are untouched.
    ///
    /// ```
    /// use linda::{AccessError, Hint, Linda};
    ///
    /// let linda = Linda::<&str, i32>::new();
    /// let slot = linda.slot(&"state");
    /// linda.cancel(Hint::Both);
    /// assert_eq!(linda.get(&slot, 1), Err(AccessError::Cancelled));
    /// linda.cancel(Hint::None);
    /// assert_eq!(linda.get(&slot, 1), Ok(vec![]));
    /// ```
    pub fn cancel(&self, hint: Hint) {
        // Those who register from now on see it in their next look (partner of
        // the load in `is_cancelled`; the locks of the slots order the two).
        self.cancelled.store(hint != Hint::None, Ordering::Release);
        self.wake(hint);
    }

    /// Whether it is cancelled.
    ///
    /// ```
    /// use linda::{Hint, Linda, Status};
    ///
    /// let linda = Linda::<&str, i32>::new();
    /// linda.cancel(Hint::Write);
    /// assert_eq!(linda.status(), Status::Cancelled);
    /// ```
    pub fn status(&self) -> Status {
        if self.is_cancelled() {
            Status::Cancelled
        } else {
            Status::Active
        }
    }

    /// Wakes those who are meant, so that they look again. Their calls do not
    /// end because of it.
    ///
    /// ```
    /// use linda::{Cancel, Cause, Deadline, Hint, Level, Linda, Party, ReceiveError, Spin};
    ///
    /// let linda = Linda::<&str, i32>::new();
    /// let (cancel, spin) = (Cancel::new(), Spin::new());
    /// let party = Party::new(&cancel, &spin);
    /// std::thread::scope(|scope| {
    ///     scope.spawn(|| {
    ///         cancel.request(Level::Soft, false); // does not wake
    ///         linda.wake(Hint::Read);
    ///     });
    ///     let outcome = linda.receive(&party, &[linda.slot(&"never sent")], Deadline::never());
    ///     assert_eq!(outcome, Err(ReceiveError::Cancelled(Cause::Soft)));
    /// });
    /// ```
    pub fn wake(&self, hint: Hint) {
        let (readers, writers) = match hint {
            Hint::Read => (true, false),
            Hint::Write => (false, true),
            Hint::Both => (true, true),
            Hint::None => return,
        };
        for (_, slot) in self.slots.all() {
            slot.with(|state, owed| {
                if readers {
                    state.select_all(Side::Receive, owed);
                }
                if writers {
                    state.select_all(Side::Send, owed);
                }
            });
        }
    }

    fn check(&self) -> Result<(), AccessError> {
        if self.is_cancelled() {
            Err(AccessError::Cancelled)
        } else {
            Ok(())
        }
    }
}

impl<K, M> Linda<K, M> {
    pub(crate) fn is_cancelled(&self) -> bool {
        // Acquire: partner of the Release in `cancel`.
        self.cancelled.load(Ordering::Acquire)
    }
}

fn count<M>(slot: &Slot<M>) -> Option<usize> {
    slot.with(|state, _| state.queue.back.listed.then_some(state.queue.len()))
}

impl<K, M> SlotRef<K, M> {
    /// Whether there was nothing to be received a moment ago, without taking a
    /// lock. Values that were sent before the call are seen by it; a slot from
    /// which nobody may receive counts as full.
    ///
    /// ```
    /// use linda::Linda;
    ///
    /// let linda = Linda::<&str, i32>::new();
    /// let slot = linda.slot(&"work");
    /// assert!(slot.seems_empty());
    /// linda.set(&slot, vec![1])?;
    /// assert!(!slot.seems_empty());
    /// # Ok::<(), linda::AccessError>(())
    /// ```
    #[inline]
    pub fn seems_empty(&self) -> bool {
        self.slot.seems_empty()
    }

    pub(crate) fn inner(&self) -> &Slot<M> {
        &self.slot
    }
}

impl<K, M> Clone for SlotRef<K, M> {
    fn clone(&self) -> Self {
        Self {
            slot: Arc::clone(&self.slot),
            marker: PhantomData,
        }
    }
}

/// Two handles are equal if they are to the same slot.
impl<K, M> PartialEq for SlotRef<K, M> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.slot, &other.slot)
    }
}

impl<K, M> Eq for SlotRef<K, M> {}

impl<K, M> fmt::Debug for SlotRef<K, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlotRef")
            .field("length", &self.slot.length_hint())
            .finish_non_exhaustive()
    }
}

impl<K: Eq + Hash + Clone, M: Clone> Default for Linda<K, M> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Eq + Hash + Clone, M> fmt::Debug for Linda<K, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Linda")
            .field("slots", &self.slots)
            .field("cancelled", &self.is_cancelled())
            .finish()
    }
}
