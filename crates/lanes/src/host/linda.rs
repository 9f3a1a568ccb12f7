//! [`Linda`]: a linda in the hands of Rust.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use lane::{Deep, Key, Message};
use linda::{Cancel, Deadline, Hint, Party, ReceiveError, SlotRef, Status};
use mlua::{FromLua, IntoLua, Lua};
use tokio::task::coop::cooperative;

use super::error::{Failure, SendError};
use super::raw;
use super::value::Value;
use crate::object::Object;

type Slot = SlotRef<Key, Message>;

/// A linda, shared with the Lua states that have it. Clones are the same linda.
///
/// It is made in Rust and given to Lua, or taken from a Lua value:
///
/// ```
/// use lanes::Linda;
///
/// # fn main() -> mlua::Result<()> {
/// let lua = mlua::Lua::new();
/// lanes::preload(&lua)?;
///
/// let requests = Linda::named("requests");
/// let answers: Linda = lua
///     .load(r#"
///         local requests = ...
///         local lanes = require "lanes"
///         local answers = lanes.linda()
///         worker = lanes.gen("*", function()
///             local _, n = requests:receive("n")
///             answers:send("squared", n * n)
///         end)()
///         return answers
///     "#)
///     .call(&requests)?;
///
/// requests.send("n", 12)?;
/// assert_eq!(answers.receive("squared")?.as_i64(), Some(144));
/// # Ok(())
/// # }
/// ```
///
/// Calls that may have to wait come in four kinds: `send` and `receive` block
/// the thread, `try_send` and `try_receive` try once, those ending in `_timeout`
/// block so long at most, and those ending in `_async` are futures for any
/// executor. No call of any kind blocks Lua states other than the one on whose
/// thread it is made.
///
/// # When they end
///
/// All of them end with [`Failure::Cancelled`] when the linda is cancelled.
///
/// With a linda that was taken from a Lua value they also end, with
/// [`Failure::Closed`], when that state has closed and its lanes have ended:
/// nobody would answer any more. What was sent before is received first. A
/// linda that was made in Rust belongs to no state, and waits for ever; see
/// [`closing_with`](Linda::closing_with).
#[derive(Clone)]
pub struct Linda {
    object: Arc<Object>,
    /// Ends what waits.
    closing: Arc<Cancel>,
}

impl Linda {
    /// A new linda without a name.
    pub fn new() -> Linda {
        Linda::named("")
    }

    /// A new linda with a name, which is what `tostring` shows in Lua.
    pub fn named(name: impl Into<Vec<u8>>) -> Linda {
        let object = Object {
            core: linda::Linda::new(),
            name: name.into(),
            wake_period: None,
            close_handler: None,
        };
        Linda::of(Arc::new(object), None)
    }

    /// The linda that a Lua value of this state is, if it is one. `FromLua` does
    /// the same with an error.
    ///
    /// ```
    /// # fn main() -> mlua::Result<()> {
    /// let lua = mlua::Lua::new();
    /// lanes::preload(&lua)?;
    /// let value: mlua::Value =
    ///     lua.load("return require('lanes').linda { name = 'mine' }").eval()?;
    /// let linda = lanes::Linda::from_value(&lua, &value).expect("a linda");
    /// assert_eq!(linda.name(), b"mine");
    /// assert!(lanes::Linda::from_value(&lua, &mlua::Value::Nil).is_none());
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_value(lua: &Lua, value: &mlua::Value) -> Option<Linda> {
        let object = raw::linda(lua, value)?;
        let closing = raw::closing(lua).ok()?;
        Some(Linda { object, closing })
    }

    /// The same linda, but calls that wait through this handle end when this
    /// state closes, as if the linda had been taken from there.
    ///
    /// ```
    /// use lanes::{Failure, Linda};
    ///
    /// # fn main() -> mlua::Result<()> {
    /// let lua = mlua::Lua::new();
    /// let results = Linda::new().closing_with(&lua)?;
    /// results.send("r", 1)?;
    /// drop(lua);
    /// assert_eq!(results.receive("r")?.as_i64(), Some(1));
    /// assert_eq!(results.receive("r"), Err(Failure::Closed));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// No memory, or the state is closing.
    pub fn closing_with(&self, lua: &Lua) -> mlua::Result<Linda> {
        Ok(Linda {
            object: Arc::clone(&self.object),
            closing: raw::closing(lua)?,
        })
    }

    pub(super) fn of(object: Arc<Object>, like: Option<&Linda>) -> Linda {
        Linda {
            object,
            closing: like.map_or_else(Arc::default, |linda| Arc::clone(&linda.closing)),
        }
    }

    pub(super) fn deep(&self) -> Arc<dyn Deep> {
        Arc::clone(&self.object) as Arc<dyn Deep>
    }

    /// Its name; may be empty.
    pub fn name(&self) -> &[u8] {
        &self.object.name
    }

    /// Sends a value. Blocks while the slot is full.
    ///
    /// # Errors
    ///
    /// Any [`Failure`] but a timeout; the value comes back with it.
    pub fn send(&self, key: impl Into<Key>, value: impl Into<Value>) -> Result<(), SendError> {
        self.send_until(key.into(), value.into(), Deadline::never())
    }

    /// Sends a value if there is room for it now.
    ///
    /// ```
    /// use lanes::{Failure, Linda};
    ///
    /// let linda = Linda::new();
    /// linda.set_limit("work", Some(1))?;
    /// linda.try_send("work", "first")?;
    /// let refused = linda.try_send("work", "second").unwrap_err();
    /// assert_eq!((refused.why, refused.value.as_str()), (Failure::Timeout, Some("second")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Any [`Failure`]; the value comes back with it.
    pub fn try_send(&self, key: impl Into<Key>, value: impl Into<Value>) -> Result<(), SendError> {
        self.send_until(key.into(), value.into(), Deadline::now())
    }

    /// Sends a value. Blocks while the slot is full, but not for longer.
    ///
    /// # Errors
    ///
    /// Any [`Failure`]; the value comes back with it.
    pub fn send_timeout(
        &self,
        key: impl Into<Key>,
        value: impl Into<Value>,
        timeout: Duration,
    ) -> Result<(), SendError> {
        self.send_until(key.into(), value.into(), Deadline::after(timeout))
    }

    fn send_until(&self, key: Key, value: Value, deadline: Deadline) -> Result<(), SendError> {
        let mut message = value.pack();
        let sent = match &mut message {
            None => Err(Failure::TooLong),
            some => self.send_messages(&key, some, deadline),
        };
        sent.map_err(|why| SendError { why, value })
    }

    /// Sends several values as one: all of them, or none. Waits until
    /// `deadline` for room.
    ///
    /// ```
    /// use lanes::{Deadline, Linda, Value};
    ///
    /// let linda = Linda::new();
    /// let words: Vec<Value> = ["a", "b", "c"].map(Value::from).into();
    /// linda.send_batch("words", words, Deadline::never())?;
    /// assert_eq!(linda.receive_batch("words", 1, 2, Deadline::now())?.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Any [`Failure`]; the values come back with it.
    pub fn send_batch(
        &self,
        key: impl Into<Key>,
        values: Vec<Value>,
        deadline: Deadline,
    ) -> Result<(), SendError<Vec<Value>>> {
        let messages: Option<Vec<Message>> = values.iter().map(Value::pack).collect();
        let sent = match messages {
            None => Err(Failure::TooLong),
            Some(mut messages) => self.send_messages(&key.into(), &mut messages, deadline),
        };
        sent.map_err(|why| SendError { why, value: values })
    }

    fn send_messages(
        &self,
        key: &Key,
        batch: &mut impl linda::Batch<Message>,
        deadline: Deadline,
    ) -> Result<(), Failure> {
        let (core, slot) = (&self.object.core, self.slot(key));
        match core.send(&self.party(&self.closing), &slot, batch, deadline) {
            Err(error) if Failure::from(error) == Failure::Closed => {
                let fresh = Cancel::new();
                let again = core.send(&self.party(&fresh), &slot, batch, Deadline::now());
                again.map_err(closed)
            }
            other => other.map_err(Failure::from),
        }
    }

    /// Sends a value, waiting while the slot is full.
    ///
    /// # Errors
    ///
    /// Any [`Failure`] but a timeout; the value comes back with it.
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it is ready has sent nothing.
    pub async fn send_async(
        &self,
        key: impl Into<Key>,
        value: impl Into<Value>,
    ) -> Result<(), SendError> {
        let (slot, value) = (self.slot(&key.into()), value.into());
        let Some(message) = value.pack() else {
            let why = Failure::TooLong;
            return Err(SendError { why, value });
        };
        let (core, mut batch) = (&self.object.core, Some(message));
        let sent = cooperative(core.send_async(&self.closing, &slot, &mut batch)).await;
        let sent = match sent.map_err(Failure::from) {
            Err(Failure::Closed) => {
                let fresh = Cancel::new();
                let again = core.send(&self.party(&fresh), &slot, &mut batch, Deadline::now());
                again.map_err(closed)
            }
            other => other,
        };
        sent.map_err(|why| SendError { why, value })
    }

    /// Takes the oldest value of a slot. Blocks while there is none.
    ///
    /// # Errors
    ///
    /// Any [`Failure`] but a timeout. Nothing was taken.
    pub fn receive(&self, key: impl Into<Key>) -> Result<Value, Failure> {
        self.receive_until(key.into(), Deadline::never())
    }

    /// Takes the oldest value of a slot, if there is one now.
    ///
    /// # Errors
    ///
    /// Any [`Failure`]: [`Failure::Timeout`] if there is none.
    pub fn try_receive(&self, key: impl Into<Key>) -> Result<Value, Failure> {
        self.receive_until(key.into(), Deadline::now())
    }

    /// Takes the oldest value of a slot. Blocks while there is none, but not for
    /// longer.
    ///
    /// ```
    /// use lanes::{Failure, Linda};
    /// use std::time::Duration;
    ///
    /// let linda = Linda::new();
    /// let nothing = linda.receive_timeout("k", Duration::from_millis(1));
    /// assert_eq!(nothing, Err(Failure::Timeout));
    /// ```
    ///
    /// # Errors
    ///
    /// Any [`Failure`]. Nothing was taken.
    pub fn receive_timeout(
        &self,
        key: impl Into<Key>,
        timeout: Duration,
    ) -> Result<Value, Failure> {
        self.receive_until(key.into(), Deadline::after(timeout))
    }

    fn receive_until(&self, key: Key, deadline: Deadline) -> Result<Value, Failure> {
        Ok(self.receive_from(&[self.slot(&key)], deadline)?.1)
    }

    /// Takes the oldest value of the first of these slots that has one, and
    /// answers which it was. Waits until `deadline` for one.
    ///
    /// ```
    /// use lanes::{Deadline, Key, Linda};
    ///
    /// let linda = Linda::new();
    /// linda.send("normal", 7)?;
    /// let keys = [Key::from("urgent"), Key::from("normal")];
    /// let (which, value) = linda.receive_any(&keys, Deadline::never())?;
    /// assert_eq!((which, value.as_i64()), (1, Some(7)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Any [`Failure`]. Nothing was taken.
    pub fn receive_any(&self, keys: &[Key], deadline: Deadline) -> Result<(usize, Value), Failure> {
        self.receive_from(&self.slots(keys), deadline)
    }

    fn receive_from(&self, slots: &[Slot], deadline: Deadline) -> Result<(usize, Value), Failure> {
        let core = &self.object.core;
        let received = core.receive(&self.party(&self.closing), slots, deadline);
        self.received(slots, received)
    }

    /// The end of a receive. Who is told that the state has closed gets what is
    /// left.
    fn received(
        &self,
        slots: &[Slot],
        received: Result<(usize, Message), ReceiveError>,
    ) -> Result<(usize, Value), Failure> {
        let received = match received.map_err(Failure::from) {
            Err(Failure::Closed) => {
                let fresh = Cancel::new();
                let core = &self.object.core;
                let left = core.receive(&self.party(&fresh), slots, Deadline::now());
                left.map_err(closed)
            }
            other => other,
        };
        received.map(|(which, message)| (which, Value::unpack(message, Some(self))))
    }

    /// Takes the oldest values of a slot, at least `min` and at most `max`.
    /// Waits until `deadline` for `min`; 0 counts as 1.
    ///
    /// # Errors
    ///
    /// Any [`Failure`]. Nothing was taken.
    pub fn receive_batch(
        &self,
        key: impl Into<Key>,
        min: usize,
        max: usize,
        deadline: Deadline,
    ) -> Result<Vec<Value>, Failure> {
        let (core, slot) = (&self.object.core, self.slot(&key.into()));
        let take = |cancel: &Cancel, deadline| {
            core.receive_batched(&self.party(cancel), &slot, min, max, deadline)
        };
        let taken = match take(&self.closing, deadline).map_err(Failure::from) {
            Err(Failure::Closed) => take(&Cancel::new(), Deadline::now()).map_err(closed),
            other => other,
        };
        Ok(self.unpack_all(taken?))
    }

    /// Takes the oldest value of a slot, waiting while there is none.
    ///
    /// ```
    /// use lanes::Linda;
    /// use std::time::Duration;
    /// use tokio::time::timeout;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
    /// let linda = Linda::new();
    /// let nothing = timeout(Duration::from_millis(1), linda.receive_async("k")).await;
    /// assert!(nothing.is_err());
    ///
    /// let task = tokio::spawn({
    ///     let linda = linda.clone();
    ///     async move { linda.receive_async("k").await }
    /// });
    /// linda.send_async("k", 5).await?;
    /// assert_eq!(task.await??.as_i64(), Some(5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Any [`Failure`] but a timeout. Nothing was taken.
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it is ready has taken nothing.
    pub async fn receive_async(&self, key: impl Into<Key>) -> Result<Value, Failure> {
        let slots = [self.slot(&key.into())];
        Ok(self.receive_from_async(&slots).await?.1)
    }

    /// Takes the oldest value of the first of these slots that has one, waiting
    /// while there is none, and answers which it was.
    ///
    /// # Errors
    ///
    /// Any [`Failure`] but a timeout. Nothing was taken.
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it is ready has taken nothing.
    pub async fn receive_any_async(&self, keys: &[Key]) -> Result<(usize, Value), Failure> {
        self.receive_from_async(&self.slots(keys)).await
    }

    async fn receive_from_async(&self, slots: &[Slot]) -> Result<(usize, Value), Failure> {
        let core = &self.object.core;
        // A task that always finds a value lets others run now and then.
        let received = cooperative(core.receive_async(&self.closing, slots)).await;
        self.received(slots, received)
    }

    /// Replaces the contents of a slot, whatever its limit; nothing clears it.
    ///
    /// ```
    /// use lanes::{Linda, Value};
    ///
    /// let linda = Linda::new();
    /// linda.set("progress", [Value::from(0.5)])?;
    /// assert_eq!(linda.get("progress")?, Some(Value::from(0.5)));
    /// assert_eq!(linda.count("progress"), 1);
    /// # Ok::<(), lanes::Failure>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Failure::Cancelled`], [`Failure::Restricted`] or [`Failure::TooLong`].
    pub fn set(
        &self,
        key: impl Into<Key>,
        values: impl IntoIterator<Item = Value>,
    ) -> Result<(), Failure> {
        let messages: Option<Vec<_>> = values.into_iter().map(|value| value.pack()).collect();
        let messages = messages.ok_or(Failure::TooLong)?;
        self.object.core.set(&self.slot(&key.into()), messages)?;
        Ok(())
    }

    /// A copy of the oldest value of a slot, which stays there.
    ///
    /// # Errors
    ///
    /// [`Failure::Cancelled`] or [`Failure::Restricted`].
    pub fn get(&self, key: impl Into<Key>) -> Result<Option<Value>, Failure> {
        let copies = self.object.core.get(&self.slot(&key.into()), 1)?;
        Ok(self.unpack_all(copies).pop())
    }

    /// How many values a slot holds.
    pub fn count(&self, key: impl Into<Key>) -> usize {
        self.object.core.count(&key.into()).unwrap_or(0)
    }

    /// Sets how many values senders may put into a slot; `None` is no limit.
    ///
    /// # Errors
    ///
    /// [`Failure::Cancelled`].
    pub fn set_limit(&self, key: impl Into<Key>, limit: Option<usize>) -> Result<(), Failure> {
        let slot = self.slot(&key.into());
        self.object.core.set_limit(&slot, limit)?;
        Ok(())
    }

    /// Cancels the linda: all calls that wait on it, in Rust and in Lua, and all
    /// later ones, end with the cancellation. Its contents stay.
    pub fn cancel(&self) {
        self.object.core.cancel(Hint::Both);
    }

    /// Makes a cancelled linda usable again.
    ///
    /// ```
    /// use lanes::{Failure, Linda};
    ///
    /// let linda = Linda::new();
    /// linda.cancel();
    /// assert_eq!(linda.receive("k"), Err(Failure::Cancelled));
    /// linda.uncancel();
    /// assert_eq!(linda.try_receive("k"), Err(Failure::Timeout));
    /// ```
    pub fn uncancel(&self) {
        self.object.core.cancel(Hint::None);
    }

    /// Whether it is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.object.core.status() == Status::Cancelled
    }

    fn party<'a>(&self, cancel: &'a Cancel) -> Party<'a> {
        Party::new(cancel, lane::spin())
    }

    fn slot(&self, key: &Key) -> Slot {
        self.object.core.slot(key)
    }

    fn slots(&self, keys: &[Key]) -> Vec<Slot> {
        keys.iter().map(|key| self.slot(key)).collect()
    }

    fn unpack_all(&self, messages: Vec<Message>) -> Vec<Value> {
        let unpack = |message| Value::unpack(message, Some(self));
        messages.into_iter().map(unpack).collect()
    }
}

/// What the last attempt of who was told that the state has closed ends with.
fn closed(error: impl Into<Failure>) -> Failure {
    match error.into() {
        Failure::Timeout => Failure::Closed,
        other => other,
    }
}

impl Default for Linda {
    fn default() -> Linda {
        Linda::new()
    }
}

/// Whether both are the same linda.
impl PartialEq for Linda {
    fn eq(&self, other: &Linda) -> bool {
        Arc::ptr_eq(&self.object, &other.object)
    }
}

impl Eq for Linda {}

impl fmt::Debug for Linda {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Linda")
            .field("name", &String::from_utf8_lossy(self.name()))
            .field("cancelled", &self.is_cancelled())
            .finish()
    }
}

/// A linda as a key: by identity. The slot does not keep it alive.
impl From<&Linda> for Key {
    fn from(linda: &Linda) -> Key {
        Key::Deep(Arc::downgrade(&linda.deep()))
    }
}

impl FromLua for Linda {
    fn from_lua(value: mlua::Value, lua: &Lua) -> mlua::Result<Linda> {
        Linda::from_value(lua, &value).ok_or_else(|| mlua::Error::FromLuaConversionError {
            from: value.type_name(),
            to: "Linda".to_owned(),
            message: Some("not a linda".to_owned()),
        })
    }
}

impl IntoLua for Linda {
    fn into_lua(self, lua: &Lua) -> mlua::Result<mlua::Value> {
        (&self).into_lua(lua)
    }
}

impl IntoLua for &Linda {
    fn into_lua(self, lua: &Lua) -> mlua::Result<mlua::Value> {
        raw::push(lua, &self.deep())
    }
}
