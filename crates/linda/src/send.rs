//! Sending: [`Linda::send`], and the same for tasks.

use std::borrow::BorrowMut;
use std::future::Future;
use std::hash::Hash;

use crate::blocking::{Attempt, Operation, block};
use crate::line::Ticket;
use crate::place::Few;
use crate::slot::{Refused, Side, Slot};
use crate::task::Wait;
use crate::{Batch, Cancel, Deadline, Linda, Party, SendError, SlotRef};

impl<K: Eq + Hash + Clone, M: Clone> Linda<K, M> {
    /// Sends all values of the batch, as one: waits until the slot has room for
    /// them. A batch larger than the limit never gets in.
    ///
    /// ```
    /// use linda::{Cancel, Deadline, Linda, Party, SendError, Spin};
    ///
    /// let linda = Linda::<&str, i32>::new();
    /// let (cancel, spin) = (Cancel::new(), Spin::new());
    /// let party = Party::new(&cancel, &spin);
    ///
    /// let slot = linda.slot(&"work");
    /// linda.set_limit(&slot, Some(2))?;
    /// linda.send(&party, &slot, &mut Some(1), Deadline::never())?;
    ///
    /// let mut two = vec![2, 3];
    /// let outcome = linda.send(&party, &slot, &mut two, Deadline::now());
    /// assert_eq!(outcome, Err(SendError::Timeout));
    /// assert_eq!(two, [2, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// See [`SendError`]. The batch is then untouched.
    ///
    /// # Cancel safety
    ///
    /// A call that ends by deadline, cancellation or error has sent nothing.
    pub fn send(
        &self,
        party: &Party<'_>,
        slot: &SlotRef<K, M>,
        batch: &mut impl Batch<M>,
        deadline: Deadline,
    ) -> Result<(), SendError> {
        self.send_recycling(party, slot, batch, &mut None, deadline)
    }

    /// [`send`](Linda::send), which brings back a value that receivers have no
    /// use for any more, if `spare` has none and there is one: its memory serves
    /// for the next value to be sent. See
    /// [`receive_recycling`](Linda::receive_recycling).
    ///
    /// # Errors
    ///
    /// As for `send`.
    ///
    /// # Cancel safety
    ///
    /// As for `send`.
    pub fn send_recycling(
        &self,
        party: &Party<'_>,
        slot: &SlotRef<K, M>,
        batch: &mut impl Batch<M>,
        spare: &mut Option<M>,
        deadline: Deadline,
    ) -> Result<(), SendError> {
        let need = batch.len();
        let slot = slot.inner();
        block(
            party,
            deadline,
            Send {
                linda: self,
                slot,
                batch,
                need,
                spare,
            },
        )
    }

    /// [`send`](Linda::send) for a task: it is suspended until the slot has
    /// room, or until it is cancelled through `cancel`, or the linda is.
    ///
    /// ```
    /// use linda::{Cancel, Linda};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let linda = Linda::<&str, i32>::new();
    /// let slot = linda.slot(&"work");
    /// linda.send_async(&Cancel::new(), &slot, &mut vec![1, 2]).await?;
    /// assert_eq!(linda.count(&"work"), Some(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// See [`SendError`]; there is no timeout. The batch is then untouched.
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it is ready, and one that ends with an
    /// error, has sent nothing: all values are still in the batch.
    pub fn send_async<'a, B: Batch<M>>(
        &'a self,
        cancel: &'a Cancel,
        slot: &'a SlotRef<K, M>,
        batch: &'a mut B,
    ) -> impl Future<Output = Result<(), SendError>> + use<'a, K, M, B> {
        let need = batch.len();
        let operation = Send {
            linda: self,
            slot: slot.inner(),
            batch,
            need,
            spare: None,
        };
        Wait::new(cancel, operation)
    }
}

struct Send<'a, 'b, K, M, B, P> {
    linda: &'a Linda<K, M>,
    slot: &'a Slot<M>,
    batch: &'b mut B,
    need: usize,
    /// The caller's spare value, or a place for one that is not used.
    spare: P,
}

impl<'a, K, M, B, P> Operation<'a, M> for Send<'a, '_, K, M, B, P>
where
    B: Batch<M>,
    P: BorrowMut<Option<M>>,
{
    type Output = ();
    type Error = SendError;

    const SIDE: Side = Side::Send;
    // It waits for several receives, and each look at their end slows them.
    const PAUSES: u32 = 10;
    const TIMEOUT: SendError = SendError::Timeout;

    fn refused(&self) -> Option<SendError> {
        (self.need == 0).then_some(SendError::Empty)
    }

    fn need(&self) -> usize {
        self.need
    }

    fn slots(&self) -> Few<&'a Slot<M>> {
        Few::from_iter([self.slot])
    }

    fn cancelled(&self) -> bool {
        self.linda.is_cancelled()
    }

    fn promising(&self) -> bool {
        self.slot.room_hint(self.need)
    }

    fn attempt(&mut self, tickets: &[Ticket]) -> Attempt<(), SendError> {
        let ticket = tickets.first().copied();
        let spare = self.spare.borrow_mut();
        match self.slot.send(self.batch, self.need, spare, ticket) {
            Ok(()) => Attempt::Done(0, ()),
            Err(Refused::NotNow) => Attempt::Blocked,
            Err(Refused::Restricted) => Attempt::Failed(SendError::Restricted),
        }
    }
}
