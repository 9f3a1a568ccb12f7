//! Receiving: [`Linda::receive`], [`Linda::receive_batched`] and [`select`], and
//! the same for tasks.

use std::borrow::{Borrow, BorrowMut};
use std::future::Future;
use std::hash::Hash;

use crate::blocking::{Attempt, Operation, block};
use crate::line::Ticket;
use crate::place::Few;
use crate::slot::{Refused, Side, Slot};
use crate::task::Wait;
use crate::{Cancel, Deadline, Linda, Party, ReceiveError, SlotRef};

impl<K: Eq + Hash + Clone, M: Clone> Linda<K, M> {
    /// Takes the oldest value of the first of these slots that has one, and
    /// answers its index with it: waits until one has. The slots are examined
    /// in the order given.
    ///
    /// Without a slot it waits for the deadline or the party's cancellation.
    ///
    /// ```
    /// use linda::{Cancel, Deadline, Linda, Party, Spin};
    ///
    /// let linda = Linda::<&str, i32>::new();
    /// let (cancel, spin) = (Cancel::new(), Spin::new());
    /// let party = Party::new(&cancel, &spin);
    ///
    /// let slots = [linda.slot(&"urgent"), linda.slot(&"normal")];
    /// linda.send(&party, &slots[1], &mut Some(7), Deadline::never())?;
    /// assert_eq!(linda.receive(&party, &slots, Deadline::never())?, (1, 7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// See [`ReceiveError`].
    ///
    /// # Cancel safety
    ///
    /// A call that ends by deadline, cancellation or error has taken nothing.
    pub fn receive(
        &self,
        party: &Party<'_>,
        slots: &[impl Borrow<SlotRef<K, M>>],
        deadline: Deadline,
    ) -> Result<(usize, M), ReceiveError> {
        self.receive_recycling(party, slots, &mut None, 0, deadline)
    }

    /// [`receive`](Linda::receive), which takes `spent` off the caller: a value
    /// that is of no use any more, but its memory may be of use to who sends to
    /// the slot ([`send_recycling`](Linda::send_recycling)). The caller keeps it
    /// if nothing was received, or if the slot has `most` such values.
    ///
    /// A value that was made by one thread and is dropped by another costs both
    /// of them: they meet in the allocator. A slot lets go of spent values when
    /// somebody goes to sleep waiting for it, and when it is cleared.
    ///
    /// ```
    /// use linda::{Cancel, Deadline, Linda, Party, Spin};
    ///
    /// let linda = Linda::<&str, Vec<u8>>::new();
    /// let (cancel, spin) = (Cancel::new(), Spin::new());
    /// let party = Party::new(&cancel, &spin);
    /// let now = Deadline::now();
    ///
    /// let slot = linda.slot(&"lines");
    /// let (mut spare, mut spent) = (None, Some(Vec::with_capacity(1000)));
    /// for _ in 0..2 {
    ///     linda.send_recycling(&party, &slot, &mut Some(vec![1]), &mut spare, now)?;
    ///     linda.receive_recycling(&party, &[slot.clone()], &mut spent, 8, now)?;
    /// }
    /// linda.send_recycling(&party, &slot, &mut Some(vec![1]), &mut spare, now)?;
    /// assert_eq!(spare.map(|line| line.capacity()), Some(1000));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for `receive`.
    ///
    /// # Cancel safety
    ///
    /// As for `receive`.
    pub fn receive_recycling(
        &self,
        party: &Party<'_>,
        slots: &[impl Borrow<SlotRef<K, M>>],
        spent: &mut Option<M>,
        most: usize,
        deadline: Deadline,
    ) -> Result<(usize, M), ReceiveError> {
        block(
            party,
            deadline,
            Receive {
                from: Slots { linda: self, slots },
                spent,
                most,
            },
        )
    }

    /// Takes the oldest values of the slot, at least `min` and at most `max`:
    /// waits until there are `min`. A `min` of 0 counts as 1, a `max` below
    /// `min` as `min`.
    ///
    /// ```
    /// use linda::{Cancel, Deadline, Linda, Party, Spin};
    ///
    /// let linda = Linda::<&str, i32>::new();
    /// let (cancel, spin) = (Cancel::new(), Spin::new());
    /// let party = Party::new(&cancel, &spin);
    ///
    /// let slot = linda.slot(&"results");
    /// linda.send(&party, &slot, &mut vec![1, 2, 3], Deadline::never())?;
    /// assert_eq!(linda.receive_batched(&party, &slot, 1, 2, Deadline::never())?, [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// See [`ReceiveError`].
    ///
    /// # Cancel safety
    ///
    /// A call that ends by deadline, cancellation or error has taken nothing.
    pub fn receive_batched(
        &self,
        party: &Party<'_>,
        slot: &SlotRef<K, M>,
        min: usize,
        max: usize,
        deadline: Deadline,
    ) -> Result<Vec<M>, ReceiveError> {
        let min = min.max(1);
        let max = max.max(min);
        block(
            party,
            deadline,
            ReceiveBatched {
                linda: self,
                slot: slot.inner(),
                min,
                max,
            },
        )
    }

    /// [`receive`](Linda::receive) for a task: it is suspended until a value
    /// comes, or until it is cancelled through `cancel`, or the linda is.
    ///
    /// ```
    /// use linda::{Cancel, Linda};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let linda = Linda::<&str, i32>::new();
    /// let cancel = Cancel::new();
    /// let slots = [linda.slot(&"urgent"), linda.slot(&"normal")];
    /// linda.send_async(&cancel, &slots[1], &mut Some(7)).await?;
    /// assert_eq!(linda.receive_async(&cancel, &slots).await?, (1, 7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// See [`ReceiveError`]; there is no timeout.
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it is ready, and one that ends with an
    /// error, has taken nothing.
    pub fn receive_async<'a>(
        &'a self,
        cancel: &'a Cancel,
        slots: &'a [SlotRef<K, M>],
    ) -> impl Future<Output = Result<(usize, M), ReceiveError>> + use<'a, K, M> {
        let from = Slots { linda: self, slots };
        Wait::new(cancel, Receive::plain(from))
    }

    /// [`receive_batched`](Linda::receive_batched) for a task.
    ///
    /// ```
    /// use linda::{Cancel, Linda};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let linda = Linda::<&str, i32>::new();
    /// let cancel = Cancel::new();
    /// let slot = linda.slot(&"results");
    /// linda.send_async(&cancel, &slot, &mut vec![1, 2, 3]).await?;
    /// assert_eq!(linda.receive_batched_async(&cancel, &slot, 1, 2).await?, [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// See [`ReceiveError`]; there is no timeout.
    ///
    /// # Cancel safety
    ///
    /// As for [`receive_async`](Linda::receive_async).
    pub fn receive_batched_async<'a>(
        &'a self,
        cancel: &'a Cancel,
        slot: &'a SlotRef<K, M>,
        min: usize,
        max: usize,
    ) -> impl Future<Output = Result<Vec<M>, ReceiveError>> + use<'a, K, M> {
        let min = min.max(1);
        let operation = ReceiveBatched {
            linda: self,
            slot: slot.inner(),
            min,
            max: max.max(min),
        };
        Wait::new(cancel, operation)
    }
}

/// A slot with its linda, for [`select`].
///
/// ```
/// use linda::{Linda, Source};
///
/// let linda = Linda::<i32, &str>::new();
/// let slot = linda.slot(&1);
/// let _source: Source<'_, i32, &str> = (&linda, &slot);
/// ```
pub type Source<'a, K, M> = (&'a Linda<K, M>, &'a SlotRef<K, M>);

/// [`Linda::receive`] from slots of several lindas.
///
/// ```
/// use linda::{Cancel, Deadline, Linda, Party, Spin, select};
///
/// let (a, b) = (Linda::<i32, &str>::new(), Linda::<i32, &str>::new());
/// let (cancel, spin) = (Cancel::new(), Spin::new());
/// let party = Party::new(&cancel, &spin);
///
/// let (a1, b1) = (a.slot(&1), b.slot(&1));
/// b.send(&party, &b1, &mut Some("hello"), Deadline::never())?;
/// assert_eq!(select(&party, &[(&a, &a1), (&b, &b1)], Deadline::never())?, (1, "hello"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// See [`ReceiveError`]; it is enough that one of the lindas is cancelled.
///
/// # Cancel safety
///
/// A call that ends by deadline, cancellation or error has taken nothing.
pub fn select<K, M>(
    party: &Party<'_>,
    slots: &[Source<'_, K, M>],
    deadline: Deadline,
) -> Result<(usize, M), ReceiveError> {
    block(party, deadline, Receive::plain(slots))
}

/// [`select`] for a task: [`Linda::receive_async`] from slots of several lindas.
///
/// ```
/// use linda::{Cancel, Linda, select_async};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let (a, b) = (Linda::<i32, &str>::new(), Linda::<i32, &str>::new());
/// let cancel = Cancel::new();
/// let (a1, b1) = (a.slot(&1), b.slot(&1));
/// b.send_async(&cancel, &b1, &mut Some("hello")).await?;
/// assert_eq!(select_async(&cancel, &[(&a, &a1), (&b, &b1)]).await?, (1, "hello"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// See [`ReceiveError`]; it is enough that one of the lindas is cancelled.
/// There is no timeout.
///
/// # Cancel safety
///
/// As for [`Linda::receive_async`].
pub fn select_async<'a, K, M>(
    cancel: &'a Cancel,
    slots: &'a [Source<'a, K, M>],
) -> impl Future<Output = Result<(usize, M), ReceiveError>> + use<'a, K, M> {
    Wait::new(cancel, Receive::plain(slots))
}

/// Where a receive looks, in order.
trait Sources<'a, M: 'a> {
    fn slots(&self) -> impl Iterator<Item = &'a Slot<M>>;
    fn cancelled(&self) -> bool;
}

/// Slots of one linda.
struct Slots<'a, K, M, S> {
    linda: &'a Linda<K, M>,
    slots: &'a [S],
}

impl<'a, K, M, S: Borrow<SlotRef<K, M>>> Sources<'a, M> for Slots<'a, K, M, S> {
    fn slots(&self) -> impl Iterator<Item = &'a Slot<M>> {
        self.slots.iter().map(|slot| slot.borrow().inner())
    }

    fn cancelled(&self) -> bool {
        self.linda.is_cancelled()
    }
}

/// Slots of several lindas.
impl<'a, K, M> Sources<'a, M> for &'a [Source<'a, K, M>] {
    fn slots(&self) -> impl Iterator<Item = &'a Slot<M>> {
        self.iter().map(|(_, slot)| slot.inner())
    }

    fn cancelled(&self) -> bool {
        self.iter().any(|(linda, _)| linda.is_cancelled())
    }
}

/// One value from the first slot that has one.
struct Receive<S, P> {
    from: S,
    /// The caller's spent value, or a place for one that stays empty.
    spent: P,
    most: usize,
}

impl<S, M> Receive<S, Option<M>> {
    /// One that gives nothing back.
    fn plain(from: S) -> Self {
        Self {
            from,
            spent: None,
            most: 0,
        }
    }
}

impl<'a, M, S, P> Operation<'a, M> for Receive<S, P>
where
    M: 'a,
    S: Sources<'a, M>,
    P: BorrowMut<Option<M>>,
{
    type Output = (usize, M);
    type Error = ReceiveError;

    const SIDE: Side = Side::Receive;
    const PAUSES: u32 = 1;
    const TIMEOUT: ReceiveError = ReceiveError::Timeout;

    fn need(&self) -> usize {
        1
    }

    fn slots(&self) -> Few<&'a Slot<M>> {
        self.from.slots().collect()
    }

    fn cancelled(&self) -> bool {
        self.from.cancelled()
    }

    fn promising(&self) -> bool {
        self.from.slots().any(|slot| !slot.seems_empty())
    }

    fn attempt(&mut self, tickets: &[Ticket]) -> Attempt<(usize, M), ReceiveError> {
        for (index, slot) in self.from.slots().enumerate() {
            let ticket = tickets.get(index).copied();
            if ticket.is_none() && slot.seems_empty() {
                continue;
            }
            match slot.receive(self.spent.borrow_mut(), self.most, ticket) {
                Ok(value) => return Attempt::Done(index, (index, value)),
                Err(Refused::NotNow) => {}
                Err(Refused::Restricted) => return Attempt::Failed(ReceiveError::Restricted),
            }
        }
        Attempt::Blocked
    }
}

/// Several values from one slot.
struct ReceiveBatched<'a, K, M> {
    linda: &'a Linda<K, M>,
    slot: &'a Slot<M>,
    min: usize,
    max: usize,
}

impl<'a, K, M> Operation<'a, M> for ReceiveBatched<'a, K, M> {
    type Output = Vec<M>;
    type Error = ReceiveError;

    const SIDE: Side = Side::Receive;
    const PAUSES: u32 = 1;
    const TIMEOUT: ReceiveError = ReceiveError::Timeout;

    fn need(&self) -> usize {
        self.min
    }

    fn slots(&self) -> Few<&'a Slot<M>> {
        Few::from_iter([self.slot])
    }

    fn cancelled(&self) -> bool {
        self.linda.is_cancelled()
    }

    fn promising(&self) -> bool {
        self.slot.length_hint() >= self.min
    }

    fn attempt(&mut self, tickets: &[Ticket]) -> Attempt<Vec<M>, ReceiveError> {
        match self
            .slot
            .receive_batched(self.min, self.max, tickets.first().copied())
        {
            Ok(values) => Attempt::Done(0, values),
            Err(Refused::NotNow) => Attempt::Blocked,
            Err(Refused::Restricted) => Attempt::Failed(ReceiveError::Restricted),
        }
    }
}
