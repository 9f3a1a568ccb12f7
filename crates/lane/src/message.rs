//! Messages: self-contained snapshots of Lua values on their way between
//! states.

use std::cell::RefCell;
use std::sync::Arc;

use crate::deep::Deep;
use crate::number::Number;
use crate::wire::{Reader, string_header, tag};

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

/// A message that needs no Lua state to be read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar<'a> {
    /// A string.
    Text(&'a [u8]),
    /// A number.
    Number(Number),
    /// A boolean.
    Boolean(bool),
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
    Inline {
        len: u8,
        data: [u8; INLINE],
    },
    /// The first bytes of a buffer, which may be one that was used before.
    Shared {
        buffer: Arc<[u8]>,
        len: usize,
    },
}

/// The bytes of a message of one deep object: a list of one value, which is the
/// first handle.
const LONE_DEEP: [u8; 10] = {
    let [a, b, c, d] = 1_u32.to_ne_bytes();
    [tag::MANY, a, b, c, d, tag::DEEP, 0, 0, 0, 0]
};

/// Longer buffers are not used again: what one state has too many of should
/// rather serve everybody.
const LONGEST_SPARE: usize = 4096 + 64;

/// So much memory may wait in one slot to be used again, in bytes: a thousand
/// messages of 512 bytes, so that a queue of that length takes no new memory.
const MOST_SPARE: usize = 640 * 1024;

/// Whether these bytes are one scalar and not a list of values.
#[inline]
pub(crate) fn is_lone(bytes: &[u8]) -> bool {
    bytes.first() != Some(&tag::MANY)
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
    pub(crate) fn new(bytes: &[u8], handles: Vec<Handle>, spare: &mut Option<Message>) -> Message {
        let mut message = Message::joined(&[], bytes, spare);
        if !handles.is_empty() {
            message.handles = Some(handles.into());
        }
        message
    }

    /// A short message whose bytes are a header and a payload. The caller sees
    /// to it that they fit.
    #[inline]
    pub(crate) fn short(header: &[u8], payload: &[u8]) -> Message {
        let len = header.len() + payload.len();
        let mut data = [0; INLINE];
        data[..header.len()].copy_from_slice(header);
        data[header.len()..len].copy_from_slice(payload);
        Message {
            bytes: Bytes::Inline {
                len: len as u8,
                data,
            },
            handles: None,
            pick: None,
        }
    }

    /// A message whose bytes are a header and a payload, in one step. It takes
    /// the memory of `spare`, if that has any that will do.
    #[inline]
    pub(crate) fn joined(header: &[u8], payload: &[u8], spare: &mut Option<Message>) -> Message {
        let len = header.len() + payload.len();
        if len <= INLINE {
            return Message::short(header, payload);
        }
        if let Some(message) = spare
            && let Bytes::Shared { buffer, len: used } = &mut message.bytes
            && buffer.len() >= len
            && let Some(bytes) = Arc::get_mut(buffer)
        {
            bytes[..header.len()].copy_from_slice(header);
            bytes[header.len()..len].copy_from_slice(payload);
            *used = len;
            return spare.take().unwrap_or_default();
        }
        Message {
            bytes: Bytes::whole(crate::raw::joined(header, payload)),
            handles: None,
            pick: None,
        }
    }

    /// A message of one string; none if it is too long to travel.
    #[inline]
    pub fn text(text: &[u8], spare: &mut Option<Message>) -> Option<Message> {
        let (header, len) = string_header(text.len())?;
        Some(Message::joined(&header[..len], text, spare))
    }

    /// A message of one boolean.
    pub fn boolean(value: bool) -> Message {
        Message::short(&[if value { tag::TRUE } else { tag::FALSE }], &[])
    }

    /// A message of nil.
    pub fn nil() -> Message {
        Message::short(&[tag::NIL], &[])
    }

    /// Whether this is a message of nil.
    pub fn is_nil(&self) -> bool {
        self.bytes() == [tag::NIL]
    }

    /// The same, as the fast form of a scalar if it is a list of just one: what
    /// another value was converted to comes as such a list.
    #[must_use]
    pub fn unlisted(self) -> Message {
        let mut reader = Reader::new(self.bytes());
        let lone = self.handles.is_none()
            && reader.u8() == Some(tag::MANY)
            && reader.u32() == Some(1)
            && matches!(reader.peek(), Some(tag::NIL..=tag::STR32));
        match reader.bytes(reader.left()) {
            Some(scalar) if lone => Message::joined(&[], scalar, &mut None),
            _ => self,
        }
    }

    /// A message of one deep object without user values, as the packer writes
    /// it.
    pub fn deep(object: Arc<dyn Deep>) -> Message {
        let mut message = Message::short(&LONE_DEEP, &[]);
        message.handles = Some(Arc::new([Handle::new(object)]));
        message
    }

    /// The deep object that this message is, if it is one, without user values.
    pub fn as_deep(&self) -> Option<Arc<dyn Deep>> {
        match self.handles() {
            [handle] if self.bytes() == LONE_DEEP && self.pick.is_none() => {
                handle.object().cloned()
            }
            _ => None,
        }
    }

    /// The value that this message is, if it can be read without a Lua state.
    #[inline]
    pub fn as_scalar(&self) -> Option<Scalar<'_>> {
        let mut reader = Reader::new(self.bytes());
        Some(match reader.u8()? {
            tag::STR8 => {
                let len = reader.u8()?.into();
                Scalar::Text(reader.bytes(len)?)
            }
            tag::STR32 => {
                let len = reader.u32()? as usize;
                Scalar::Text(reader.bytes(len)?)
            }
            tag::FALSE => Scalar::Boolean(false),
            tag::TRUE => Scalar::Boolean(true),
            _ => Scalar::Number(self.as_number()?),
        })
    }

    /// How many like this one may wait in a slot to be used again: none if it
    /// has no memory worth it, or shares it.
    #[inline]
    pub fn most_spares(&self) -> usize {
        match &self.bytes {
            Bytes::Shared { buffer, .. }
                if buffer.len() <= LONGEST_SPARE
                    && self.handles.is_none()
                    && self.pick.is_none()
                    && Arc::strong_count(buffer) == 1 =>
            {
                MOST_SPARE / buffer.len()
            }
            _ => 0,
        }
    }

    /// The same, with its bytes where clones can share them: they then know
    /// each other by [`same_bytes`](Message::same_bytes).
    pub(crate) fn shared(self) -> Message {
        let bytes = match self.bytes {
            Bytes::Inline { len, data } => Bytes::whole(data[..usize::from(len)].into()),
            shared @ Bytes::Shared { .. } => shared,
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
            (Bytes::Shared { buffer: a, .. }, Bytes::Shared { buffer: b, .. }) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// The packed bytes; for tests of the unpacker.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Inline { len, data } => &data[..usize::from(*len)],
            Bytes::Shared { buffer, len } => &buffer[..*len],
        }
    }

    /// Whether it is one scalar.
    #[inline]
    pub(crate) fn is_lone(&self) -> bool {
        is_lone(self.bytes())
    }

    /// The bytes, of which so many count, if they lie in the message itself.
    #[inline]
    pub(crate) fn inline(&self) -> Option<(usize, [u8; INLINE])> {
        match self.bytes {
            Bytes::Inline { len, data } => Some((usize::from(len), data)),
            Bytes::Shared { .. } => None,
        }
    }

    /// The handles, in the order in which the bytes name them.
    #[inline]
    pub(crate) fn handles(&self) -> &[Handle] {
        self.handles.as_deref().unwrap_or(&[])
    }
}

impl Bytes {
    fn whole(buffer: Arc<[u8]>) -> Bytes {
        let len = buffer.len();
        Bytes::Shared { buffer, len }
    }
}

#[cfg(test)]
mod tests {
    use super::{INLINE, Message};
    use crate::wire::tag;

    #[test]
    fn short_messages_stay_inline() {
        assert!(size_of::<Message>() <= 64);
        for len in [0, 1, INLINE - 2, INLINE - 1, INLINE, 500] {
            let payload = vec![7; len];
            let message = Message::joined(&[1, 2], &payload, &mut None);
            assert_eq!(message.bytes()[..2], [1, 2]);
            assert_eq!(message.bytes()[2..], payload);
            assert_eq!(message.same_bytes(&message.clone()), len + 2 > INLINE);
        }
    }

    #[test]
    fn lists_of_one_scalar() {
        let list = |bytes: &[u8]| {
            let header = [&[tag::MANY][..], &1_u32.to_ne_bytes()].concat();
            Message::joined(&header, bytes, &mut None).unlisted()
        };
        assert!(list(&[tag::NIL]).is_nil());
        let text = Message::text(&[7; 300], &mut None).expect("short enough");
        assert_eq!(list(text.bytes()).as_scalar(), text.as_scalar());
        let table = [tag::TABLE, 0, 0, 0, 0, 0, 0, 0, 0, tag::END, tag::END];
        assert_eq!(list(&table).bytes().len(), 5 + table.len());
        assert_eq!(Message::nil().unlisted().bytes(), [tag::NIL]);
    }

    #[test]
    fn memory_is_used_again_unless_it_is_shared() {
        let long = Message::joined(&[1], &[7; 100], &mut None);
        assert!(long.most_spares() > 0);
        let address = long.bytes().as_ptr();
        let mut spare = Some(long);

        // Too large, and then short enough to need none.
        let larger = Message::joined(&[1], &[8; 200], &mut spare);
        assert_eq!(larger.bytes().len(), 201);
        assert_eq!(Message::joined(&[1], &[8; 3], &mut spare).most_spares(), 0);
        assert!(spare.is_some());

        let shorter = Message::joined(&[2], &[9; 50], &mut spare);
        assert!(spare.is_none());
        assert_eq!(shorter.bytes().as_ptr(), address);
        assert_eq!(shorter.bytes()[0], 2);
        assert_eq!(shorter.bytes()[1..], [9; 50]);

        let copy = shorter.clone();
        assert_eq!(shorter.most_spares(), 0);
        let mut spare = Some(copy);
        let another = Message::joined(&[3], &[1; 50], &mut spare);
        assert_ne!(another.bytes().as_ptr(), address);
        assert_eq!(shorter.bytes()[1..], [9; 50]);
    }
}
