//! The record of a lane: what its own thread, its handle and its universe
//! share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Duration, Instant};

use linda::{Cancel, Deadline, Habit, Level, Observer};
use parking_lot::{Condvar, Mutex};

use crate::message::Message;
use crate::raw::Hook;
use crate::status::Status;
use crate::universe::spin;

/// The name of a lane that was given none.
pub const UNNAMED: &str = "<unnamed>";

/// A lane, seen from outside its thread. Nothing here is a Lua value, so a
/// record may outlive the state, the thread and the universe.
pub struct Lane {
    id: u64,
    status: AtomicU8,
    cancel: Arc<Cancel>,
    hook: Hook,
    name: Mutex<Option<Vec<u8>>>,
    /// Whether its end was asked for with force, as 3.x can.
    forced: AtomicBool,
    /// Whether there is a handle.
    owned: AtomicBool,
    /// Whether it has no thread until it is needed.
    dormant: AtomicBool,
    /// Whether its body runs in a coroutine of the lane.
    coroutine: bool,
    progress: Mutex<Progress>,
    /// Told of every change of the progress.
    changed: Condvar,
}

/// What the lane and those who wait for it tell each other.
#[derive(Default)]
struct Progress {
    end: Option<Arc<End>>,
    /// What the body yielded last, or why that cannot travel.
    yielded: Option<Result<Message, String>>,
    /// It has yielded, and waits for an order.
    suspended: bool,
    order: Option<Order>,
    /// A request came that wakes it, and was not noticed in a yield yet.
    poked: bool,
}

/// What a suspended lane is to do.
pub enum Order {
    /// Go on; these are the results of the yield.
    Resume(Message),
    /// Go on, and look at your cancellation.
    Wake,
    /// End.
    Close,
}

/// How a lane ended.
pub enum End {
    /// The body returned these values, or some that cannot travel; then the
    /// text says which.
    Done(Result<Message, String>),
    /// The body or a finalizer raised this value, with this trace.
    Error(Result<Message, String>, Option<Message>),
    /// The cancellation left the body.
    Cancelled,
}

impl End {
    fn status(&self) -> Status {
        match self {
            End::Done(_) => Status::Done,
            End::Error(..) => Status::Error,
            End::Cancelled => Status::Cancelled,
        }
    }
}

impl Lane {
    /// A lane that has not started; `id` is its own in its universe.
    pub fn new(id: u64, name: Option<Vec<u8>>) -> Lane {
        Lane {
            id,
            status: AtomicU8::new(Status::Pending as u8),
            cancel: Arc::new(Cancel::new()),
            hook: Hook::default(),
            forced: AtomicBool::new(false),
            name: Mutex::new(name),
            owned: AtomicBool::new(true),
            dormant: AtomicBool::new(false),
            coroutine: false,
            progress: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// The same, with its body in a coroutine or not.
    #[must_use]
    pub fn in_coroutine(self, coroutine: bool) -> Lane {
        Lane { coroutine, ..self }
    }

    /// Whether its body runs in a coroutine.
    pub fn is_coroutine(&self) -> bool {
        self.coroutine
    }

    /// Its number, higher than those of all older lanes of the universe.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Where the lane is in its life.
    pub fn status(&self) -> Status {
        // Pairs with the release in `set_status`: who sees a final status also
        // sees the end.
        Status::from_byte(self.status.load(Ordering::Acquire))
    }

    /// Only whoever runs the lane says what it does.
    pub fn set_status(&self, status: Status) {
        self.status.store(status as u8, Ordering::Release);
    }

    /// Its cancellation.
    pub fn cancel(&self) -> &Arc<Cancel> {
        &self.cancel
    }

    /// Notes that it is to end by force, unless it is over.
    pub fn force(&self) {
        if !self.status().is_final() {
            self.forced.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the cancellation that ended it was asked for with force.
    pub fn was_forced(&self) -> bool {
        self.status() == Status::Cancelled && self.forced.load(Ordering::Relaxed)
    }

    /// For stopping it where it looks at no cancellation.
    pub fn hook(&self) -> &Hook {
        &self.hook
    }

    /// The name; [`UNNAMED`] if it was given none.
    pub fn name(&self) -> String {
        String::from_utf8_lossy(&self.name_bytes()).into_owned()
    }

    /// The name, as the bytes that were given.
    pub fn name_bytes(&self) -> Vec<u8> {
        self.name
            .lock()
            .clone()
            .unwrap_or_else(|| UNNAMED.as_bytes().to_vec())
    }

    /// Whether it was given a name.
    pub fn is_named(&self) -> bool {
        self.name.lock().is_some()
    }

    /// Gives it a name.
    pub fn rename(&self, name: Vec<u8>) {
        *self.name.lock() = Some(name);
    }

    /// Asks the lane to stop; see [`Cancel::request`].
    pub fn request(&self, level: Level, wake: bool) {
        self.cancel.request(level, wake);
        if wake && self.rouse() {
            // There is nobody who could notice.
            self.finish(End::Cancelled);
        } else if wake && self.coroutine {
            self.progress.lock().poked = true;
            self.changed.notify_all();
        }
    }

    /// Says that it waits, and has no thread until [`rouse`](Lane::rouse).
    pub fn sleep(&self) {
        self.set_status(Status::Waiting);
        // A swap, which pairs with that of an earlier `rouse`: who has tried to
        // rouse it in vain has raised the level before, and it is seen now.
        self.dormant.swap(true, Ordering::AcqRel);
    }

    /// Ends the sleep. Answers true to one caller only, who then runs the lane
    /// or ends it.
    pub fn rouse(&self) -> bool {
        self.dormant.swap(false, Ordering::AcqRel)
    }

    /// Whether there is a handle.
    pub fn is_owned(&self) -> bool {
        self.owned.load(Ordering::Relaxed)
    }

    /// The handle is gone: the lane runs freely. One that is suspended, or will
    /// be, is closed, for nobody could ever resume it.
    pub fn disown(&self) {
        self.owned.store(false, Ordering::Relaxed);
        if self.coroutine {
            // Either this lock comes after that of `suspend`, and finds the
            // lane suspended; or before it, and `suspend` sees the store.
            self.ask_to_close(&mut self.progress.lock());
        }
    }

    /// Has a suspended lane closed, unless it was told something already.
    fn ask_to_close(&self, progress: &mut Progress) {
        if progress.suspended && progress.order.is_none() {
            progress.order = Some(Order::Close);
            self.set_status(Status::Closing);
            self.changed.notify_all();
        }
    }

    /// Ends the lane. The end is published before the status, and both before
    /// anybody who joins is woken.
    pub fn finish(&self, end: End) {
        let status = end.status();
        let mut progress = self.progress.lock();
        progress.end = Some(Arc::new(end));
        // Nobody asks for it any more.
        let yielded = progress.yielded.take();
        self.set_status(status);
        drop(progress);
        drop(yielded);
        self.changed.notify_all();
    }

    /// Waits for the end; nothing when the deadline comes first. Takes nothing
    /// away: it can be asked any number of times.
    pub fn wait(&self, deadline: Deadline) -> Option<Arc<End>> {
        self.until(&ENDS, deadline, |progress| progress.end.clone())
    }

    /// [`wait`](Lane::wait), but a lane that is suspended, or will be, is told
    /// to close.
    pub fn join(&self, deadline: Deadline) -> Option<Arc<End>> {
        self.until(&ENDS, deadline, |progress| {
            self.ask_to_close(progress);
            progress.end.clone()
        })
    }

    /// Waits until the lane is suspended, then lets it go on. Answers what it
    /// had yielded; nothing if it has ended.
    pub fn resume(&self, values: Message) -> Option<Result<Message, String>> {
        let mut values = Some(values);
        self.until(&YIELDS, Deadline::never(), |progress| {
            if progress.end.is_some() {
                return Some(None);
            }
            if !progress.suspended || progress.order.is_some() {
                return None;
            }
            progress.order = values.take().map(Order::Resume);
            self.set_status(Status::Resuming);
            self.changed.notify_all();
            Some(progress.yielded.clone())
        })
        .flatten()
    }

    /// The lane has yielded: waits for what it is to do.
    pub(crate) fn suspend(&self, yielded: Result<Message, String>) -> Order {
        let mut progress = self.progress.lock();
        let before = progress.yielded.replace(yielded);
        progress.suspended = true;
        self.set_status(Status::Suspended);
        self.changed.notify_all();
        drop(progress);
        let begun = Instant::now();
        let Awaited(habit, seen) = &RESUMPTIONS;
        habit.watch(spin(), Deadline::never(), 4, || {
            seen(self.status()).then_some(())
        });
        let mut progress = self.progress.lock();
        let order = loop {
            if let Some(order) = progress.order.take() {
                habit.note(begun.elapsed());
                break order;
            }
            if progress.poked {
                break Order::Wake;
            }
            if !self.is_owned() {
                break Order::Close;
            }
            self.changed.wait(&mut progress);
        };
        progress.suspended = false;
        self.set_status(Status::Running);
        drop(progress);
        drop(before);
        order
    }

    /// What the lane yielded last: the results of one that was closed.
    pub(crate) fn take_yielded(&self) -> Option<Result<Message, String>> {
        self.progress.lock().yielded.take()
    }

    /// Waits until `look` answers something; it is asked after each change.
    fn until<R>(
        &self,
        Awaited(habit, seen): &Awaited,
        deadline: Deadline,
        mut look: impl FnMut(&mut Progress) -> Option<R>,
    ) -> Option<R> {
        let mut progress = self.progress.lock();
        let mut begun: Option<Instant> = None;
        loop {
            if let Some(found) = look(&mut progress) {
                if let Some(begun) = begun {
                    habit.note(begun.elapsed());
                }
                return Some(found);
            }
            // What is about to happen is seen sooner than it can wake us.
            if begun.is_none() && deadline != Deadline::now() {
                begun = Some(Instant::now());
                drop(progress);
                habit.watch(spin(), deadline, 4, || seen(self.status()).then_some(()));
                progress = self.progress.lock();
                continue;
            }
            match deadline.remaining() {
                None => self.changed.wait(&mut progress),
                Some(left) if left.is_zero() => {
                    habit.note(Duration::MAX);
                    return None;
                }
                Some(left) => {
                    self.changed.wait_for(&mut progress, left);
                }
            }
        }
    }
}

/// Something that is waited for: how soon it has come lately, and the status by
/// which it is seen without a lock.
struct Awaited(Habit, fn(Status) -> bool);

/// Joins wait for them.
static ENDS: Awaited = Awaited(Habit::new(), Status::is_final);
/// Who resumes a lane waits for what it yields.
static YIELDS: Awaited = Awaited(Habit::new(), |status| {
    status.is_final() || status == Status::Suspended
});
/// Suspended lanes wait for them.
static RESUMPTIONS: Awaited = Awaited(Habit::new(), |status| status != Status::Suspended);

impl Observer for Lane {
    fn waiting(&self) {
        self.set_status(Status::Waiting);
    }

    fn running(&self) {
        self.set_status(Status::Running);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_end_is_there_when_the_status_is_final() {
        let lane = Arc::new(Lane::new(1, None));
        assert!(lane.join(Deadline::now()).is_none());
        assert!(
            lane.join(Deadline::after(Duration::from_millis(5)))
                .is_none()
        );
        let other = Arc::clone(&lane);
        let thread = std::thread::spawn(move || other.finish(End::Cancelled));
        while !lane.status().is_final() {
            std::thread::yield_now();
        }
        assert!(matches!(
            lane.join(Deadline::now()).as_deref(),
            Some(End::Cancelled)
        ));
        assert!(
            lane.join(Deadline::never()).is_some(),
            "joining again gives the same"
        );
        thread.join().expect("no panic");
    }
}
