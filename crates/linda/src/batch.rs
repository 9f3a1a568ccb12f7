//! [`Batch`]: the values of one send.

use std::collections::VecDeque;

/// The values of one `send`: they enter the slot together or not at all, and
/// stay with the caller when they do not.
///
/// # Contract
///
/// `drain_into` runs under the lock of a slot. It moves the values, `len` of
/// them, to the back of `queue` and does nothing else: it neither drops nor
/// clones a value, and calls nobody. If it panics all the same, what it has moved
/// by then is sent, and nothing else is harmed.
///
/// ```
/// use linda::Batch;
///
/// let mut batch = vec![1, 2];
/// let mut queue = [0].into();
/// batch.drain_into(&mut queue);
/// assert_eq!((Batch::len(&batch), queue), (0, [0, 1, 2].into()));
/// ```
pub trait Batch<M> {
    /// How many values there are.
    fn len(&self) -> usize;

    /// Moves all of them to the back of `queue`.
    fn drain_into(&mut self, queue: &mut VecDeque<M>);

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<M> Batch<M> for Option<M> {
    fn len(&self) -> usize {
        usize::from(self.is_some())
    }

    fn drain_into(&mut self, queue: &mut VecDeque<M>) {
        if let Some(value) = self.take() {
            queue.push_back(value);
        }
    }
}

impl<M> Batch<M> for Vec<M> {
    fn len(&self) -> usize {
        Vec::len(self)
    }

    fn drain_into(&mut self, queue: &mut VecDeque<M>) {
        queue.extend(self.drain(..));
    }
}
