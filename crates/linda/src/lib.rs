//! Keyed, bounded, thread-safe queues.
//!
//! # Hello, world
//!
//! A *linda* is a set of *slots*, each a queue of values that is found by its
//! *key*. One thread sends to a key, another receives from it:
//!
//! ```
//! use linda::{Cancel, Deadline, Linda, Party, Spin};
//!
//! let linda = Linda::<&str, String>::new();
//! let spin = Spin::new();
//!
//! std::thread::scope(|scope| {
//!     scope.spawn(|| {
//!         let cancel = Cancel::new();
//!         let me = Party::new(&cancel, &spin);
//!         let mut greeting = Some("hello".to_owned());
//!         linda.send(&me, &linda.slot(&"greetings"), &mut greeting, Deadline::never())
//!     });
//!
//!     let cancel = Cancel::new();
//!     let me = Party::new(&cancel, &spin);
//!     let (_, greeting) = linda.receive(&me, &[linda.slot(&"greetings")], Deadline::never())?;
//!     assert_eq!(greeting, "hello");
//!     Ok::<(), linda::ReceiveError>(())
//! })?;
//! # Ok::<(), linda::ReceiveError>(())
//! ```
//!
//! # Slots
//!
//! A [`SlotRef`] is found once and used many times. A slot has no limit at
//! first; with a [limit](Linda::set_limit), senders wait for room. It can be
//! [restricted](Linda::restrict) to be used as a queue only, by
//! [`send`](Linda::send) and [`receive`](Linda::receive), or as a variable only,
//! by [`set`](Linda::set) and [`get`](Linda::get).
//!
//! # Blocking
//!
//! [`Linda::send`], [`Linda::receive`], [`Linda::receive_batched`], [`select`]
//! and [`Cancel::wait`] block. Each is told who blocks (a [`Party`]) and for how
//! long at most (a [`Deadline`]), and ends in one of four ways:
//!
//! - with success,
//! - at the deadline ([`Deadline::now`] tries once),
//! - because the party was asked to stop, through its [`Cancel`],
//! - because the linda was [cancelled](Linda::cancel).
//!
//! A call that does not end with success has taken nothing and sent nothing.
//!
//! A blocked party looks around for some microseconds, if there is a processor
//! for it ([`Spin`]), then lets others run a few times, then sleeps; asleep it
//! uses no processor time. `README.md` beside the sources has the protocol, and
//! the reasons why no wake-up is lost.
//!
//! # Selection
//!
//! [`Linda::receive`] takes several slots, in order of priority; [`select`] does
//! the same over several lindas.
//!
//! # Tasks
//!
//! [`Linda::send_async`], [`Linda::receive_async`],
//! [`Linda::receive_batched_async`] and [`select_async`] are the same calls for
//! tasks of any executor: instead of blocking the thread they suspend the task.
//! They have no deadline, because a future can be dropped at any time: it then
//! has taken nothing and sent nothing. So the timeouts and selections of the
//! executor will do.
//!
//! ```
//! use linda::{Cancel, Deadline, Linda, Party, Spin};
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
//! # runtime.block_on(async {
//! let linda = Arc::new(Linda::<&str, i32>::new());
//! let cancel = Cancel::new();
//! let slot = linda.slot(&"results");
//!
//! let nothing = linda.receive_async(&cancel, std::slice::from_ref(&slot));
//! assert!(tokio::time::timeout(Duration::from_millis(1), nothing).await.is_err());
//!
//! let thread = std::thread::spawn({
//!     let (linda, slot) = (Arc::clone(&linda), slot.clone());
//!     move || {
//!         let (cancel, spin) = (Cancel::new(), Spin::new());
//!         linda.send(&Party::new(&cancel, &spin), &slot, &mut Some(42), Deadline::never())
//!     }
//! });
//! assert_eq!(linda.receive_async(&cancel, &[slot]).await, Ok((0, 42)));
//! # thread.join().unwrap().unwrap();
//! # });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Invariants
//!
//! 1. Under a lock of a slot nobody is woken, no value is dropped, and the
//!    only foreign code that runs is `M::clone` and [`Batch::drain_into`], which
//!    promise to be harmless.
//! 2. The only two locks that are held at once are those of the two ends of a
//!    slot, the front's before the back's.
//! 3. A blocked call that ends without success took nothing and sent nothing.
//! 4. No `unsafe`.

#![forbid(unsafe_code)]

mod batch;
mod blocking;
mod cancel;
mod deadline;
mod error;
mod linda;
mod line;
mod map;
mod parker;
mod party;
mod place;
mod queue;
mod receive;
mod send;
mod slot;
mod spin;
mod sync;
mod task;
mod waiter;

pub use batch::Batch;
pub use cancel::{Cancel, Level};
pub use deadline::{BadTimeout, Deadline};
pub use error::{AccessError, Cause, ReceiveError, SendError};
pub use linda::{Hint, Linda, SlotRef, Status};
pub use party::{Observer, Party};
pub use queue::{Change, Fill, Restriction, SlotDump};
pub use receive::{Source, select, select_async};
pub use spin::{Habit, Spin};
