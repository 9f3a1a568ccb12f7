//! Messages: self-contained snapshots of Lua values on their way between
//! states.

use std::cell::RefCell;
use std::sync::Arc;

use crate::deep::Deep;

/// How many bytes a message holds without allocating.
pub const INLINE: usize = 38;

/// One or more Lua values, packed. Cloning is cheap: the bytes and handles of
/// a clone are shared.
#[derive(Clone, Default)]
pub struct Message {
    bytes: Bytes,
    handles: Option<Arc<[Handle]>>,
    /// Which of the values is meant, for one that was packed with others
    /// because they share tables or functions.
    pick: Option<u32>,
}

/// A deep object that a message refers to.
#[derive(Clone)]
pub(crate) struct Handle(Option<Arc<dyn Deep>>);

impl Handle {
    pub(crate) fn new(object: Arc<dyn Deep>) -> Handle {
        Handle(Some(object))
    }

    /// The object; nothing only while the handle is being dropped.
    pub(crate) fn object(&self) -> Option<&Arc<dyn Deep>> {
        self.0.as_ref()
    }
}

thread_local! {
    /// The objects that wait to be let go of, while one is.
    static DYING: RefCell<Option<Vec<Arc<dyn Deep>>>> = const { RefCell::new(None) };
}

/// A linda may hold a message that holds a linda, and so on: letting go of the
/// first must not recurse through all of them.
impl Drop for Handle {
    fn drop(&mut self) {
        let Some(object) = self.0.take() else { return };
        // Only the last reference can start a chain.
        if Arc::strong_count(&object) > 1 {
            return;
        }
        // Without the list (the thread is ending) it is dropped here.
        let _ = DYING.try_with(|dying| {
            if let Some(list) = &mut *dying.borrow_mut() {
                list.push(object);
                return;
            }
            *dying.borrow_mut() = Some(vec![object]);
            loop {
                // Not borrowed while an object goes: that comes back here.
                let next = dying.borrow_mut().as_mut().and_then(Vec::pop);
                let Some(next) = next else { break };
                drop(next);
            }
            *dying.borrow_mut() = None;
        });
    }
}

#[derive(Clone)]
enum Bytes {
    Inline { len: u8, data: [u8; INLINE] },
    Shared(Arc<[u8]>),
}

impl Default for Bytes {
    fn default() -> Bytes {
        Bytes::Inline {
            len: 0,
            data: [0; INLINE],
        }
    }
}

impl Message {
    /// A message of these bytes, as the packer wrote them.
    #[inline]
    pub(crate) fn new(bytes: &[u8], handles: Vec<Handle>) -> Message {
        let handles = if handles.is_empty() {
            None
        } else {
            Some(handles.into())
        };
        Message {
            bytes: Bytes::new(bytes),
            handles,
            pick: None,
        }
    }

    /// A message whose bytes are a header and a payload, in one step.
    #[inline]
    pub(crate) fn joined(header: &[u8], payload: &[u8]) -> Message {
        let len = header.len() + payload.len();
        let bytes = if len <= INLINE {
            let mut data = [0; INLINE];
            data[..header.len()].copy_from_slice(header);
            data[header.len()..len].copy_from_slice(payload);
            Bytes::Inline {
                len: len as u8,
                data,
            }
        } else {
            Bytes::Shared(crate::raw::joined(header, payload))
        };
        Message {
            bytes,
            handles: None,
            pick: None,
        }
    }

    /// The same, with its bytes where clones can share them: they then know
    /// each other by [`same_bytes`](Message::same_bytes).
    pub(crate) fn shared(self) -> Message {
        let bytes = match self.bytes {
            Bytes::Inline { len, data } => Bytes::Shared(data[..usize::from(len)].into()),
            shared @ Bytes::Shared(_) => shared,
        };
        Message { bytes, ..self }
    }

    /// The same bytes, but meaning only the value with this index.
    pub(crate) fn pick(&self, index: u32) -> Message {
        Message {
            pick: Some(index),
            ..self.clone()
        }
    }

    /// The value that is meant, if not all.
    pub(crate) fn picked(&self) -> Option<u32> {
        self.pick
    }

    /// Whether both messages are values of one and the same packing.
    pub(crate) fn same_bytes(&self, other: &Message) -> bool {
        match (&self.bytes, &other.bytes) {
            (Bytes::Shared(a), Bytes::Shared(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// The packed bytes; for tests of the unpacker.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Inline { len, data } => &data[..usize::from(*len)],
            Bytes::Shared(bytes) => bytes,
        }
    }

    /// Whether a copy of the bytes is all of it.
    #[inline]
    pub(crate) fn is_inline(&self) -> bool {
        matches!(self.bytes, Bytes::Inline { .. }) && self.handles.is_none()
    }

    /// The handles, in the order in which the bytes name them.
    #[inline]
    pub(crate) fn handles(&self) -> &[Handle] {
        self.handles.as_deref().unwrap_or(&[])
    }
}

impl Bytes {
    #[inline]
    fn new(bytes: &[u8]) -> Bytes {
        if bytes.len() <= INLINE {
            let mut data = [0; INLINE];
            data[..bytes.len()].copy_from_slice(bytes);
            Bytes::Inline {
                len: bytes.len() as u8,
                data,
            }
        } else {
            Bytes::Shared(bytes.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{INLINE, Message};

    #[test]
    fn short_messages_stay_inline() {
        assert!(size_of::<Message>() <= 64);
        for len in [0, 1, INLINE - 2, INLINE - 1, INLINE, 500] {
            let payload = vec![7; len];
            let message = Message::joined(&[1, 2], &payload);
            assert_eq!(message.bytes()[..2], [1, 2]);
            assert_eq!(message.bytes()[2..], payload);
            assert_eq!(message.same_bytes(&message.clone()), len + 2 > INLINE);
        }
    }
}
