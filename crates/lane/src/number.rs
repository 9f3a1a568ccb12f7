//! Messages of one number, which can be read without a Lua state.

use crate::message::Message;
use crate::wire::{Reader, tag};

/// A number of Lua; flavours without integers have floats only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer.
    Integer(i64),
    /// A float.
    Float(f64),
}

impl Number {
    /// The sum, as Lua adds: integers wrap around, a float makes a float.
    #[must_use]
    pub fn plus(self, other: Number) -> Number {
        match (self, other) {
            (Number::Integer(a), Number::Integer(b)) => Number::Integer(a.wrapping_add(b)),
            (a, b) => Number::Float(a.float() + b.float()),
        }
    }

    /// Whether both are one value, bit for bit: also NaN.
    pub fn same(self, other: Number) -> bool {
        match (self, other) {
            (Number::Integer(a), Number::Integer(b)) => a == b,
            (Number::Float(a), Number::Float(b)) => a.to_bits() == b.to_bits(),
            _ => false,
        }
    }

    fn float(self) -> f64 {
        match self {
            Number::Integer(integer) => integer as f64,
            Number::Float(float) => float,
        }
    }
}

impl Message {
    /// A message of one number.
    pub fn number(number: Number) -> Message {
        match number {
            Number::Integer(integer) => Message::short(&[tag::INT], &integer.to_ne_bytes()),
            Number::Float(float) => Message::short(&[tag::NUM], &float.to_ne_bytes()),
        }
    }

    /// The number that this message is, if it is one.
    pub fn as_number(&self) -> Option<Number> {
        let mut reader = Reader::new(self.bytes());
        match reader.u8()? {
            tag::INT => Some(Number::Integer(reader.u64()?.cast_signed())),
            tag::NUM => Some(Number::Float(f64::from_bits(reader.u64()?))),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Message, Number, tag};

    #[test]
    fn numbers_are_read_back() {
        for number in [Number::Integer(-3), Number::Float(0.5)] {
            assert_eq!(Message::number(number).as_number(), Some(number));
        }
        assert_eq!(Message::short(&[tag::TRUE], &[]).as_number(), None);
        assert_eq!(
            Number::Integer(5).plus(Number::Float(1.0)),
            Number::Float(6.0)
        );
        assert_eq!(
            Number::Integer(5).plus(Number::Integer(2)),
            Number::Integer(7)
        );
    }
}
