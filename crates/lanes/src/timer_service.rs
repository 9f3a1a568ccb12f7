//! The service behind timers: one thread per universe, started with the first
//! timer, that sets slots when their time comes.
//!
//! The table of timers is shared and says what is to happen. The thread keeps
//! a queue of delays beside it; commands only tell it which entry to look at
//! again, so whoever sets, clears or lists timers never waits for the thread.

use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lane::{End, Key, Lane, Message, Number, Universe};
use linda::{AccessError, Level};
use parking_lot::Mutex;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio_util::time::{DelayQueue, delay_queue};

use crate::object::Object;

/// The wall clock, in seconds since the epoch.
pub fn now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64())
}

/// Which timer: there is one per slot.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Id {
    linda: usize,
    key: Key,
}

impl Id {
    /// The timer of this slot.
    pub fn new(linda: &Arc<Object>, key: Key) -> Id {
        Id {
            linda: Arc::as_ptr(linda).addr(),
            key,
        }
    }
}

/// When a timer fires: wall-clock seconds.
#[derive(Clone, Copy)]
pub struct Plan {
    /// The next event.
    pub when: f64,
    /// The distance of the events after it.
    pub period: Option<f64>,
}

struct Timer {
    /// Keeps the linda alive, and with it the address in the `Id`.
    linda: Arc<Object>,
    plan: Plan,
}

/// The timers of one universe.
pub struct Service {
    lane: Arc<Lane>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    timers: HashMap<Id, Timer>,
    /// To the thread, once it was started.
    look_at: Option<UnboundedSender<Id>>,
}

impl Service {
    /// A service without a thread yet.
    pub fn new(universe: &Arc<Universe>) -> Service {
        let lane = Arc::new(Lane::new(
            universe.next_identity(),
            Some(b"LanesTimer".to_vec()),
        ));
        lane.sleep();
        universe.track(&lane);
        Service {
            lane,
            state: Mutex::default(),
        }
    }

    /// The lane that stands for the service.
    pub fn lane(&self) -> &Arc<Lane> {
        &self.lane
    }

    /// Sets a timer; an older one of the same slot is replaced. Starts the
    /// thread if need be, or says why that fails.
    pub fn set(
        self: &Arc<Self>,
        id: Id,
        linda: Arc<Object>,
        plan: Plan,
        universe: &Arc<Universe>,
    ) -> Result<(), String> {
        let mut state = self.state.lock();
        if state.look_at.is_none() && self.lane.rouse() {
            state.look_at = Some(self.start(universe)?);
        }
        let replaced = state.timers.insert(id.clone(), Timer { linda, plan });
        let _ = state.look_at.as_ref().map(|look_at| look_at.send(id));
        drop(state);
        drop(replaced);
        Ok(())
    }

    /// Stops a timer. A value that was not received yet stays.
    pub fn clear(&self, id: &Id) {
        let mut state = self.state.lock();
        let cleared = state.timers.remove(id);
        if cleared.is_some() {
            let _ = state
                .look_at
                .as_ref()
                .map(|look_at| look_at.send(id.clone()));
        }
        drop(state);
        drop(cleared);
    }

    /// The timers, in no order.
    pub fn list(&self) -> Vec<(Arc<Object>, Key, Plan)> {
        let state = self.state.lock();
        let timers = state.timers.iter();
        timers
            .map(|(id, timer)| (Arc::clone(&timer.linda), id.key.clone(), timer.plan))
            .collect()
    }

    /// An event: the time goes into the slot in the place of what is there.
    pub fn fire(&self, linda: &Arc<Object>, id: &Id) -> Result<(), String> {
        let slot = linda.core.slot(&id.key);
        let stamp = Message::number(Number::Float(now()));
        match linda.core.set(&slot, vec![stamp]) {
            // A cancelled linda takes no events, and misses none.
            Ok(_) | Err(AccessError::Cancelled) => Ok(()),
            Err(AccessError::Restricted) => Err("Key is restricted".to_owned()),
        }
    }

    /// Starts the thread. If that fails the lane sleeps on: the next timer
    /// tries again.
    fn start(self: &Arc<Self>, universe: &Arc<Universe>) -> Result<UnboundedSender<Id>, String> {
        let refused = |why: String| {
            self.lane.sleep();
            // A request that has come meanwhile has found nobody.
            if self.lane.cancel().level() != Level::None && self.lane.rouse() {
                self.lane.finish(End::Cancelled);
            }
            format!("timers cannot be started: {why}")
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .map_err(|error| refused(error.to_string()))?;
        if !universe.enter(&self.lane) {
            return Err(refused("the program is ending".to_owned()));
        }
        let (sender, receiver) = mpsc::unbounded_channel();
        let (service, home) = (Arc::clone(self), Arc::clone(universe));
        let thread = std::thread::Builder::new().name("LanesTimer".to_owned());
        let run = move || {
            lane::thread::set_priority(lane::thread::Priority::Portable(3));
            runtime.block_on(service.serve(receiver));
            let timers = std::mem::take(&mut service.state.lock().timers);
            drop(timers);
            service.lane.finish(End::Cancelled);
            home.leave(&service.lane);
        };
        if let Err(error) = thread.spawn(run) {
            universe.leave(&self.lane);
            return Err(refused(format!(
                "the system refuses another thread: {error}"
            )));
        }
        Ok(sender)
    }

    /// Runs until the lane is cancelled.
    async fn serve(&self, mut receiver: UnboundedReceiver<Id>) {
        let mut queue = DelayQueue::new();
        let mut delays: HashMap<Id, delay_queue::Key> = HashMap::new();
        let cancel = Arc::clone(self.lane.cancel());
        let mut cancelled = pin!(cancel.signalled());
        loop {
            let id = poll_fn(|task| {
                if cancelled.as_mut().poll(task).is_ready() {
                    return Poll::Ready(None);
                }
                if let Poll::Ready(Some(id)) = receiver.poll_recv(task) {
                    return Poll::Ready(Some((id, false)));
                }
                if let Poll::Ready(Some(expired)) = queue.poll_expired(task) {
                    return Poll::Ready(Some((expired.into_inner(), true)));
                }
                Poll::Pending
            })
            .await;
            let Some((id, expired)) = id else { return };
            // A request that came without the signal.
            if self.lane.cancel().level() != Level::None {
                return;
            }
            let known = delays.remove(&id);
            if !expired && let Some(key) = known {
                queue.remove(&key);
            }
            if let Some(delay) = self.due(&id) {
                delays.insert(id.clone(), queue.insert(id, delay));
            }
        }
    }

    /// Fires the timer if it is time. Answers when to look at it again.
    fn due(&self, id: &Id) -> Option<Duration> {
        /// The queue cannot hold longer delays than two years.
        const LONGEST: f64 = 86_400.0;
        let mut state = self.state.lock();
        let timer = state.timers.get_mut(id)?;
        let now = now();
        let left = timer.plan.when - now;
        if left > 0.0 {
            return Some(Duration::from_secs_f64(left.min(LONGEST)));
        }
        // The table says what comes next before anybody can see the event.
        let linda = Arc::clone(&timer.linda);
        let next = match timer.plan.period {
            Some(period) => {
                // On the grid; events that were missed are left out.
                let missed = ((now - timer.plan.when) / period).floor();
                timer.plan.when += period * (missed + 1.0);
                let left = (timer.plan.when - now).clamp(0.0, LONGEST);
                Some(Duration::from_secs_f64(left))
            }
            None => {
                state.timers.remove(id);
                None
            }
        };
        drop(state);
        // Whoever restricted the slot does not want events in it.
        let _ = self.fire(&linda, id);
        next
    }
}
