//! Keys: the values that name the slots of a linda.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Weak;

use smallvec::SmallVec;

use crate::deep::Deep;

/// A key. Raw equality as Lua has it: `1` and `1.0` are one key, strings are
/// compared by content, objects by identity. NaN is not a key.
#[derive(Clone)]
pub enum Key {
    /// `true` or `false`.
    Boolean(bool),
    /// A number with an integral value, whatever its subtype.
    Integer(i64),
    /// Any other number, by its bits; never NaN.
    Float(u64),
    /// A string; short ones are kept inline.
    String(SmallVec<[u8; 24]>),
    /// A light userdata, by its address.
    Light(usize),
    /// A deep userdata such as a linda, by identity. Weak: a key keeps the
    /// object's address from being used again, but not the object alive, which
    /// may be the very linda that has the slot.
    Deep(Weak<dyn Deep>),
}

impl Key {
    /// The key for a number, or nothing for NaN.
    pub fn number(number: f64) -> Option<Key> {
        // 2^63 is the first float too large for an integer; the lower bound is
        // an integer itself.
        const LIMIT: f64 = 9_223_372_036_854_775_808.0;
        if number.is_nan() {
            None
        } else if number.trunc() == number && (-LIMIT..LIMIT).contains(&number) {
            Some(Key::Integer(number as i64))
        } else {
            Some(Key::Float(number.to_bits()))
        }
    }
}

impl From<bool> for Key {
    fn from(value: bool) -> Key {
        Key::Boolean(value)
    }
}

impl From<i32> for Key {
    fn from(value: i32) -> Key {
        Key::Integer(value.into())
    }
}

impl From<i64> for Key {
    fn from(value: i64) -> Key {
        Key::Integer(value)
    }
}

impl From<&str> for Key {
    fn from(value: &str) -> Key {
        Key::String(value.as_bytes().into())
    }
}

impl From<String> for Key {
    fn from(value: String) -> Key {
        Key::String(value.into_bytes().into())
    }
}

impl From<&[u8]> for Key {
    fn from(value: &[u8]) -> Key {
        Key::String(value.into())
    }
}

impl From<&Key> for Key {
    fn from(key: &Key) -> Key {
        key.clone()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Boolean(value) => value.fmt(f),
            Key::Integer(value) => value.fmt(f),
            Key::Float(bits) => f64::from_bits(*bits).fmt(f),
            Key::String(text) => write!(f, "\"{}\"", text.escape_ascii()),
            Key::Light(address) => write!(f, "light({address:#x})"),
            Key::Deep(deep) => write!(f, "deep({:#x})", address(deep)),
        }
    }
}

fn address(deep: &Weak<dyn Deep>) -> usize {
    deep.as_ptr().cast::<u8>().addr()
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        match (self, other) {
            (Key::Boolean(a), Key::Boolean(b)) => a == b,
            (Key::Integer(a), Key::Integer(b)) => a == b,
            (Key::Float(a), Key::Float(b)) => a == b,
            (Key::String(a), Key::String(b)) => a == b,
            (Key::Light(a), Key::Light(b)) => a == b,
            (Key::Deep(a), Key::Deep(b)) => address(a) == address(b),
            _ => false,
        }
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Key::Boolean(value) => value.hash(state),
            Key::Integer(value) => value.hash(state),
            Key::Float(value) => value.hash(state),
            Key::String(value) => value.hash(state),
            Key::Light(value) => value.hash(state),
            Key::Deep(value) => address(value).hash(state),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Key;

    #[test]
    fn integral_floats_are_integers() {
        assert!(Key::number(1.0) == Some(Key::Integer(1)));
        assert!(Key::number(-0.0) == Some(Key::Integer(0)));
        assert!(Key::number(0.5) == Some(Key::Float(0.5_f64.to_bits())));
        assert!(Key::number(f64::INFINITY) == Some(Key::Float(f64::INFINITY.to_bits())));
        assert!(Key::number(9.3e18) == Some(Key::Float(9.3e18_f64.to_bits())));
        assert!(Key::number(-9_223_372_036_854_775_808.0) == Some(Key::Integer(i64::MIN)));
        assert!(Key::number(f64::NAN).is_none());
    }
}
