//! The flat encoding of messages.
//!
//! ```text
//! message  := value                        (the fast form of one scalar)
//!           | MANY count:u32 value*count content*
//! value    := NIL | FALSE | TRUE | INT i64 | NUM f64 | STR8 len:u8 bytes
//!           | STR32 len:u32 bytes | LIGHT u64 | DEEP index:u32
//!           | NAMED STR                    a C function, table or userdata by lookup name
//!           | GLOBALS                      the receiver's global table
//!           | MODULE                       the receiver's own `lanes`
//!           | REF object:u32               an object met before
//!           | TABLE array:u32 hash:u32     a new object; both are sizes to reserve
//!           | KNOWN STR array:u32 hash:u32    a new table, unless the receiver has one of this name
//!           | FUNCTION upvalues:u8 len:u32 bytecode      a new object
//!           | PROXY index:u32             a deep userdata with user values, numbered like an object
//!           | CLONE size:u32 values:u8     a new userdata, with so many user values
//! content  := of a table:    [META identity:u64 value] item* END (value value)* END
//!           | of a function: upvalue*
//!           | of a userdata: [META identity:u64 value] bytes*size values:u8 value*values
//!           | of a proxy: values:u8 value*values
//! upvalue  := value | JOIN object:u32 n:u8               the variable of another closure
//! ```
//!
//! Objects are numbered in the order in which the bytes first mention them, and
//! their contents follow in that order. So neither side recurses, whatever the
//! depth of the data, and a receiver creates each object with its final size.
//! Messages never leave the process: numbers are in the machine's own byte
//! order.

/// Tags, one byte each.
pub mod tag {
    #![allow(missing_docs, reason = "the grammar above says it")]
    pub const NIL: u8 = 0;
    pub const FALSE: u8 = 1;
    pub const TRUE: u8 = 2;
    pub const INT: u8 = 3;
    pub const NUM: u8 = 4;
    pub const STR8: u8 = 5;
    pub const STR32: u8 = 6;
    pub const LIGHT: u8 = 7;
    pub const DEEP: u8 = 8;
    pub const NAMED: u8 = 9;
    pub const GLOBALS: u8 = 10;
    pub const MODULE: u8 = 11;
    pub const REF: u8 = 12;
    pub const TABLE: u8 = 13;
    pub const FUNCTION: u8 = 14;
    pub const META: u8 = 15;
    pub const END: u8 = 16;
    pub const JOIN: u8 = 17;
    pub const MANY: u8 = 18;
    pub const CLONE: u8 = 19;
    pub const PROXY: u8 = 20;
    pub const KNOWN: u8 = 21;
}

/// Reads the encoding. Copies freely, owns nothing, never panics: a read past
/// the end gives nothing.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads from the start of these bytes.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes }
    }

    /// How many bytes are left.
    #[inline]
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    /// The next bytes.
    #[inline]
    pub fn bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.rest.split_at_checked(len)?;
        self.rest = tail;
        Some(head)
    }

    /// The next byte, left where it is.
    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// The next byte.
    #[inline]
    pub fn u8(&mut self) -> Option<u8> {
        let (head, tail) = self.rest.split_first()?;
        self.rest = tail;
        Some(*head)
    }

    /// The next four bytes as a number.
    #[inline]
    pub fn u32(&mut self) -> Option<u32> {
        let (head, tail) = self.rest.split_first_chunk()?;
        self.rest = tail;
        Some(u32::from_ne_bytes(*head))
    }

    /// The next eight bytes as a number.
    #[inline]
    pub fn u64(&mut self) -> Option<u64> {
        let (head, tail) = self.rest.split_first_chunk()?;
        self.rest = tail;
        Some(u64::from_ne_bytes(*head))
    }
}

/// The header of a string of this length, and how much of the array it takes.
#[inline]
pub fn string_header(len: usize) -> Option<([u8; 5], usize)> {
    let mut header = [0; 5];
    if let Ok(short) = u8::try_from(len) {
        header[0] = tag::STR8;
        header[1] = short;
        Some((header, 2))
    } else {
        header[0] = tag::STR32;
        header[1..].copy_from_slice(&u32::try_from(len).ok()?.to_ne_bytes());
        Some((header, 5))
    }
}

#[cfg(test)]
mod tests {
    use super::{Reader, string_header, tag};

    #[test]
    fn reads_stop_at_the_end() {
        let mut reader = Reader::new(&[1, 2, 3]);
        assert_eq!(reader.u32(), None);
        assert_eq!(reader.u8(), Some(1));
        assert_eq!(reader.bytes(3), None);
        assert_eq!(reader.bytes(2), Some(&[2, 3][..]));
        assert_eq!((reader.u8(), reader.left()), (None, 0));
    }

    #[test]
    fn headers() {
        assert_eq!(string_header(255), Some(([tag::STR8, 255, 0, 0, 0], 2)));
        let (header, len) = string_header(256).expect("a length that fits");
        assert_eq!((header[0], len), (tag::STR32, 5));
        assert!(string_header(usize::MAX).is_none());
    }
}
