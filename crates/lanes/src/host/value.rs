//! [`Value`]: what goes through a linda, as Rust sees it.

use std::fmt;

use lane::{Message, Number, Scalar};
use mlua::{FromLua, IntoLua, Lua};

use super::linda::Linda;
use super::raw;
use crate::object::Object;

/// A value on its way through a linda. It belongs to no Lua state and may go to
/// any thread.
///
/// From Rust it is made with `into`, from a Lua value with [`FromLua`]; it
/// becomes a Lua value with [`IntoLua`]:
///
/// ```
/// use lanes::Value;
///
/// # fn main() -> mlua::Result<()> {
/// let lua = mlua::Lua::new();
/// let table: Value = lua.load("return { 1, { x = 'y' } }").eval()?;
/// assert!(matches!(table, Value::Other(_)));
///
/// let other = mlua::Lua::new();
/// other.globals().set("t", table)?;
/// assert_eq!(other.load("return t[2].x").eval::<Value>()?, Value::from("y"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// `nil`.
    #[default]
    Nil,
    /// `true` or `false`.
    Boolean(bool),
    /// A number with integral subtype. Lua 5.1, 5.2 and LuaJIT have none: there
    /// it becomes a number, and none comes from there.
    Integer(i64),
    /// Any other number.
    Number(f64),
    /// A string.
    Bytes(Vec<u8>),
    /// A linda.
    Linda(Linda),
    /// Anything else that can travel: tables, functions, userdata.
    Other(Packed),
}

/// A copy of a Lua value that only a Lua state can look into.
#[derive(Clone)]
pub struct Packed(Message);

impl Value {
    /// The bytes, if it is a string.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Value::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The text, if it is a string in UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        self.as_bytes()
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
    }

    /// The number, if it is one and integral: from every flavour of Lua alike.
    ///
    /// ```
    /// use lanes::Value;
    ///
    /// assert_eq!(Value::from(2.0).as_i64(), Some(2));
    /// assert_eq!(Value::from(2.5).as_i64(), None);
    /// assert_eq!(Value::from(1e300).as_i64(), None);
    /// ```
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Value::Integer(integer) => Some(*integer),
            Value::Number(number) => match lane::Key::number(*number) {
                Some(lane::Key::Integer(integer)) => Some(integer),
                _ => None,
            },
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            #[allow(clippy::cast_precision_loss, reason = "as Lua converts")]
            Value::Integer(integer) => Some(*integer as f64),
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Boolean(boolean) => Some(*boolean),
            _ => None,
        }
    }

    /// The value that a message is. `like` is the linda that it came through:
    /// lindas in it end with the same state.
    pub(super) fn unpack(message: Message, like: Option<&Linda>) -> Value {
        let message = message.unlisted();
        match message.as_scalar() {
            Some(Scalar::Text(text)) => Value::Bytes(text.to_vec()),
            Some(Scalar::Number(Number::Integer(integer))) => Value::Integer(integer),
            Some(Scalar::Number(Number::Float(float))) => Value::Number(float),
            Some(Scalar::Boolean(boolean)) => Value::Boolean(boolean),
            None if message.is_nil() => Value::Nil,
            None => match message.as_deep().map(lane::Deep::as_any) {
                Some(object) => match object.downcast::<Object>() {
                    Ok(object) => Value::Linda(Linda::of(object, like)),
                    Err(_) => Value::Other(Packed(message)),
                },
                None => Value::Other(Packed(message)),
            },
        }
    }

    /// The message for the value; none for a string that is too long.
    pub(super) fn pack(&self) -> Option<Message> {
        Some(match self {
            Value::Nil => Message::nil(),
            Value::Boolean(boolean) => Message::boolean(*boolean),
            Value::Integer(integer) => Message::number(Number::Integer(*integer)),
            Value::Number(number) => Message::number(Number::Float(*number)),
            Value::Bytes(bytes) => Message::text(bytes, &mut None)?,
            Value::Linda(linda) => Message::deep(linda.deep()),
            Value::Other(Packed(message)) => message.clone(),
        })
    }
}

/// Copies a Lua value as a `send` would: an error if it cannot travel, with the
/// path to what cannot.
impl FromLua for Value {
    fn from_lua(value: mlua::Value, lua: &Lua) -> mlua::Result<Value> {
        Ok(match value {
            mlua::Value::Nil => Value::Nil,
            mlua::Value::Boolean(boolean) => Value::Boolean(boolean),
            mlua::Value::Integer(integer) => Value::Integer(integer),
            mlua::Value::Number(number) => Value::Number(number),
            mlua::Value::String(text) => Value::Bytes(text.as_bytes().to_vec()),
            other => match Linda::from_value(lua, &other) {
                Some(linda) => Value::Linda(linda),
                None => Value::unpack(raw::pack(lua, other)?, None),
            },
        })
    }
}

/// An error if the state cannot rebuild the value: a C function, for example,
/// whose module it has not loaded.
impl IntoLua for Value {
    fn into_lua(self, lua: &Lua) -> mlua::Result<mlua::Value> {
        match self {
            Value::Nil => Ok(mlua::Value::Nil),
            Value::Boolean(boolean) => boolean.into_lua(lua),
            Value::Integer(integer) => integer.into_lua(lua),
            Value::Number(number) => number.into_lua(lua),
            Value::Bytes(bytes) => lua.create_string(bytes)?.into_lua(lua),
            Value::Linda(linda) => linda.into_lua(lua),
            Value::Other(Packed(message)) => raw::unpack(lua, message),
        }
    }
}

/// Whether both are one and the same copy: contents are not looked at.
impl PartialEq for Packed {
    fn eq(&self, other: &Packed) -> bool {
        std::ptr::eq(self.0.bytes(), other.0.bytes())
    }
}

impl fmt::Debug for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Packed({} bytes)", self.0.bytes().len())
    }
}

macro_rules! from {
    ($($type:ty => |$value:ident| $result:expr;)*) => {$(
        impl From<$type> for Value {
            fn from($value: $type) -> Value {
                $result
            }
        }
    )*};
}

from! {
    () => |_nothing| Value::Nil;
    bool => |value| Value::Boolean(value);
    i32 => |value| Value::Integer(value.into());
    u32 => |value| Value::Integer(value.into());
    i64 => |value| Value::Integer(value);
    f64 => |value| Value::Number(value);
    &str => |value| Value::Bytes(value.into());
    String => |value| Value::Bytes(value.into());
    &[u8] => |value| Value::Bytes(value.into());
    Vec<u8> => |value| Value::Bytes(value);
    Linda => |value| Value::Linda(value);
    &Linda => |value| Value::Linda(value.clone());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn through_messages_and_back() {
        for value in [
            Value::Nil,
            true.into(),
            false.into(),
            (-7).into(),
            i64::MIN.into(),
            0.5.into(),
            f64::INFINITY.into(),
            "".into(),
            "text".into(),
            vec![0, 255].into(),
            "x".repeat(100_000).into(),
            Linda::new().into(),
        ] {
            let message = value.pack().expect("short enough");
            assert_eq!(Value::unpack(message, None), value);
        }
    }
}
