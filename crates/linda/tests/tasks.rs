//! Calls of tasks: how they end, and that a future that is dropped takes
//! nothing and keeps no wake-up.

#![cfg(not(rlanes_loom))]

mod common;

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::slice::from_ref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use common::{LIMITS, Me, Random, long, one_slot, stress_time};
use linda::{
    Cancel, Cause, Deadline, Hint, Level, Linda, ReceiveError, Restriction, SendError, SlotRef,
    select_async,
};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

type L = Linda<u32, u32>;
type S = SlotRef<u32, u32>;

/// Long enough for what must happen.
const LONG: Duration = Duration::from_secs(60);
/// Short enough to wait for what must not happen.
const SHORT: Duration = Duration::from_millis(5);

fn threads() -> Runtime {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(4).enable_time().build().unwrap()
}

fn run<R>(future: impl Future<Output = R>) -> R {
    let runtime = Builder::new_current_thread().enable_time().build().unwrap();
    runtime
        .block_on(async { timeout(LONG, future).await })
        .expect("ends in time")
}

/// A waker that counts.
#[derive(Default)]
struct Calls(AtomicUsize);

impl Wake for Calls {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Calls {
    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

fn calls() -> (Arc<Calls>, Waker) {
    let calls = Arc::new(Calls::default());
    let waker = Waker::from(Arc::clone(&calls));
    (calls, waker)
}

fn poll<F: Future>(future: &mut Pin<&mut F>, waker: &Waker) -> Poll<F::Output> {
    future.as_mut().poll(&mut Context::from_waker(waker))
}

fn send(linda: &L, slot: &S, values: &[u32]) {
    let me = Me::new();
    let mut values = values.to_vec();
    linda
        .send(&me.party(), slot, &mut values, Deadline::now())
        .unwrap();
}

fn receive(linda: &L, slot: &S) -> Option<u32> {
    let me = Me::new();
    let got = linda.receive(&me.party(), from_ref(slot), Deadline::now());
    got.ok().map(|(_, value)| value)
}

#[test]
fn futures_may_go_to_other_threads() {
    fn check(_: impl Send) {}
    let (linda, slot) = one_slot::<u32>(None);
    let cancel = Cancel::new();
    check(linda.receive_async(&cancel, from_ref(&slot)));
    check(linda.receive_batched_async(&cancel, &slot, 1, 2));
    check(linda.send_async(&cancel, &slot, &mut Some(1)));
    check(select_async(&cancel, &[(&linda, &slot)]));
}

#[test]
fn what_need_not_wait_is_ready_at_once() {
    let (linda, slot) = one_slot(None);
    let cancel = Cancel::new();
    let (_, waker) = calls();
    let mut batch = vec![1, 2, 3, 4];
    let sent = poll(
        &mut pin!(linda.send_async(&cancel, &slot, &mut batch)),
        &waker,
    );
    assert_eq!((sent, batch), (Poll::Ready(Ok(())), vec![]));
    let one = poll(
        &mut pin!(linda.receive_async(&cancel, from_ref(&slot))),
        &waker,
    );
    assert_eq!(one, Poll::Ready(Ok((0, 1))));
    let two = poll(
        &mut pin!(linda.receive_batched_async(&cancel, &slot, 0, 2)),
        &waker,
    );
    assert_eq!(two, Poll::Ready(Ok(vec![2, 3])));
    let last = poll(&mut pin!(select_async(&cancel, &[(&linda, &slot)])), &waker);
    assert_eq!(last, Poll::Ready(Ok((0, 4))));
    let none = poll(
        &mut pin!(linda.send_async(&cancel, &slot, &mut None)),
        &waker,
    );
    assert_eq!(none, Poll::Ready(Err(SendError::Empty)));
}

/// Nothing happens before the first poll.
#[test]
fn futures_are_lazy() {
    let (linda, slot) = one_slot(None);
    send(&linda, &slot, &[1]);
    let cancel = Cancel::new();
    drop(linda.receive_async(&cancel, from_ref(&slot)));
    drop(linda.send_async(&cancel, &slot, &mut Some(2)));
    assert_eq!(linda.count(&1), Some(1));
}

#[test]
fn a_timeout_takes_nothing_and_sends_nothing() {
    for limit in LIMITS {
        let (linda, slot) = one_slot(limit);
        let cancel = Cancel::new();
        run(async {
            let receive = linda.receive_async(&cancel, from_ref(&slot));
            assert!(timeout(SHORT, receive).await.is_err());
            let batched = linda.receive_batched_async(&cancel, &slot, 2, 3);
            assert!(timeout(SHORT, batched).await.is_err());
            if let Some(limit) = limit {
                let mut batch = vec![7; limit + 1];
                let send = linda.send_async(&cancel, &slot, &mut batch);
                assert!(timeout(SHORT, send).await.is_err());
                assert_eq!(batch.len(), limit + 1);
                assert_eq!(linda.count(&1), Some(0));
            }
        });
        if limit.is_none_or(|limit| limit > 1) {
            send(&linda, &slot, &[8, 9]);
            assert_eq!(receive(&linda, &slot), Some(8));
        }
    }
}

/// A future that was chosen for a value and is dropped leaves it to the next.
#[test]
fn dropped_while_selected_passes_on() {
    let (linda, slot) = one_slot(None);
    let cancel = Cancel::new();
    let (first_calls, first_waker) = calls();
    let (second_calls, second_waker) = calls();
    let mut second = pin!(linda.receive_async(&cancel, from_ref(&slot)));
    {
        let mut first = pin!(linda.receive_async(&cancel, from_ref(&slot)));
        assert!(poll(&mut first, &first_waker).is_pending());
        assert!(poll(&mut second, &second_waker).is_pending());
        send(&linda, &slot, &[1]);
        assert_eq!((first_calls.count(), second_calls.count()), (1, 0));
    }
    assert_eq!((first_calls.count(), second_calls.count()), (1, 1));
    assert_eq!(poll(&mut second, &second_waker), Poll::Ready(Ok((0, 1))));
}

/// The same for room.
#[test]
fn dropped_sender_passes_on() {
    let (linda, slot) = one_slot(Some(1));
    send(&linda, &slot, &[0]);
    let cancel = Cancel::new();
    let (first_calls, first_waker) = calls();
    let (second_calls, second_waker) = calls();
    let (mut one, mut two) = (Some(1), Some(2));
    let mut second = pin!(linda.send_async(&cancel, &slot, &mut two));
    {
        let mut first = pin!(linda.send_async(&cancel, &slot, &mut one));
        assert!(poll(&mut first, &first_waker).is_pending());
        assert!(poll(&mut second, &second_waker).is_pending());
        assert_eq!(receive(&linda, &slot), Some(0));
        assert_eq!((first_calls.count(), second_calls.count()), (1, 0));
    }
    assert_eq!(one, Some(1));
    assert_eq!(second_calls.count(), 1);
    assert_eq!(poll(&mut second, &second_waker), Poll::Ready(Ok(())));
    assert_eq!(receive(&linda, &slot), Some(2));
}

/// A thread that sleeps is served when a future leaves, and the reverse.
#[test]
fn tasks_and_threads_stand_in_one_line() {
    let (linda, slot) = one_slot(None);
    let cancel = Cancel::new();
    let me = Me::new();
    let (calls, waker) = calls();
    std::thread::scope(|scope| {
        let mut future = Box::pin(linda.receive_async(&cancel, from_ref(&slot)));
        assert!(poll(&mut future.as_mut(), &waker).is_pending());
        let thread = scope.spawn(|| linda.receive(&me.party(), from_ref(&slot), long()));
        me.wait_until_asleep();
        send(&linda, &slot, &[1]);
        assert_eq!(calls.count(), 1);
        drop(future);
        assert_eq!(thread.join().unwrap(), Ok((0, 1)));
    });
}

/// A task that is polled with another waker is woken through that one, and
/// keeps its place in line.
#[test]
fn the_latest_waker_is_called() {
    let (linda, slot) = one_slot(None);
    let cancel = Cancel::new();
    let (old_calls, old) = calls();
    let (new_calls, new) = calls();
    let (other_calls, other) = calls();
    let mut moved = pin!(linda.receive_async(&cancel, from_ref(&slot)));
    let mut behind = pin!(linda.receive_async(&cancel, from_ref(&slot)));
    assert!(poll(&mut moved, &old).is_pending());
    assert!(poll(&mut behind, &other).is_pending());
    assert!(poll(&mut moved, &new).is_pending());
    send(&linda, &slot, &[1]);
    let counts = [&old_calls, &new_calls, &other_calls].map(|calls| calls.count());
    assert_eq!(counts, [0, 1, 0]);
    assert_eq!(poll(&mut moved, &new), Poll::Ready(Ok((0, 1))));
}

/// A wake-up that was meant for the old waker is not lost with it.
#[test]
fn selected_through_the_old_waker() {
    let (linda, slot) = one_slot(None);
    let cancel = Cancel::new();
    let (_, old) = calls();
    let (_, new) = calls();
    let (other_calls, other) = calls();
    let mut moved = pin!(linda.receive_async(&cancel, from_ref(&slot)));
    let mut behind = pin!(linda.receive_async(&cancel, from_ref(&slot)));
    assert!(poll(&mut moved, &old).is_pending());
    assert!(poll(&mut behind, &other).is_pending());
    send(&linda, &slot, &[1]);
    // Somebody barges in; the next poll finds nothing and passes on.
    assert_eq!(receive(&linda, &slot), Some(1));
    assert!(poll(&mut moved, &new).is_pending());
    send(&linda, &slot, &[2, 3]);
    assert_eq!(other_calls.count(), 1);
    assert_eq!(poll(&mut behind, &other), Poll::Ready(Ok((0, 2))));
    assert_eq!(poll(&mut moved, &new), Poll::Ready(Ok((0, 3))));
}

/// A waker may own the task, and a task may own what waits in the same line:
/// letting go of a waker must not happen under the lock of the line.
#[test]
fn wakers_that_own_futures() {
    struct Owner {
        linda: Arc<L>,
        slot: S,
    }
    impl Wake for Owner {
        fn wake(self: Arc<Self>) {}
    }
    impl Drop for Owner {
        fn drop(&mut self) {
            // Takes the locks of the slot.
            assert!(self.linda.existing(&1).as_ref() == Some(&self.slot));
            self.linda.wake(Hint::Both);
        }
    }
    let (linda, slot) = one_slot(None);
    let linda = Arc::new(linda);
    let cancel = Cancel::new();
    let owner = || {
        Waker::from(Arc::new(Owner {
            linda: Arc::clone(&linda),
            slot: slot.clone(),
        }))
    };
    let mut future = Box::pin(linda.receive_async(&cancel, from_ref(&slot)));
    for _ in 0..3 {
        assert!(poll(&mut future.as_mut(), &owner()).is_pending());
    }
    drop(future);
}

#[test]
fn cancellation_ends_tasks() {
    for (level, cause) in [(Level::Soft, Cause::Soft), (Level::Hard, Cause::Hard)] {
        let (linda, slot) = one_slot(Some(0));
        let linda = Arc::new(linda);
        let cancel = Arc::new(Cancel::new());
        run(async {
            let waits = tokio::spawn({
                let (linda, slot, cancel) = (Arc::clone(&linda), slot.clone(), Arc::clone(&cancel));
                async move {
                    let mut value = Some(1);
                    let mut receive = pin!(linda.receive_async(&cancel, from_ref(&slot)));
                    let mut send = pin!(linda.send_async(&cancel, &slot, &mut value));
                    let (mut received, mut sent) = (None, None);
                    poll_fn(|context| {
                        if received.is_none()
                            && let Poll::Ready(ended) = receive.as_mut().poll(context)
                        {
                            received = Some(ended);
                        }
                        if sent.is_none()
                            && let Poll::Ready(ended) = send.as_mut().poll(context)
                        {
                            sent = Some(ended);
                        }
                        match (received, sent) {
                            (Some(received), Some(sent)) => Poll::Ready((received, sent)),
                            _ => Poll::Pending,
                        }
                    })
                    .await
                }
            });
            tokio::task::yield_now().await;
            cancel.request(level, true);
            let (received, sent) = waits.await.unwrap();
            assert_eq!(received, Err(ReceiveError::Cancelled(cause)));
            assert_eq!(sent, Err(SendError::Cancelled(cause)));
            // And it does not even try.
            let later = linda.receive_async(&cancel, from_ref(&slot)).await;
            assert_eq!(later, Err(ReceiveError::Cancelled(cause)));
        });
    }
}

#[test]
fn linda_cancel_and_restriction_end_tasks() {
    let (linda, slot) = one_slot(Some(0));
    let cancel = Cancel::new();
    let (calls, waker) = calls();
    let mut batch = Some(1);
    {
        let mut received = pin!(linda.receive_async(&cancel, from_ref(&slot)));
        let mut sent = pin!(linda.send_async(&cancel, &slot, &mut batch));
        assert!(poll(&mut received, &waker).is_pending());
        assert!(poll(&mut sent, &waker).is_pending());
        linda.cancel(Hint::Both);
        assert_eq!(calls.count(), 2);
        let cause = Cause::Linda;
        assert_eq!(
            poll(&mut received, &waker),
            Poll::Ready(Err(ReceiveError::Cancelled(cause)))
        );
        assert_eq!(
            poll(&mut sent, &waker),
            Poll::Ready(Err(SendError::Cancelled(cause)))
        );
    }
    assert_eq!(batch, Some(1));
    linda.cancel(Hint::None);
    let mut received = pin!(linda.receive_async(&cancel, from_ref(&slot)));
    assert!(poll(&mut received, &waker).is_pending());
    linda.restrict(&slot, Some(Restriction::SetGet)).unwrap();
    assert_eq!(calls.count(), 3);
    assert_eq!(
        poll(&mut received, &waker),
        Poll::Ready(Err(ReceiveError::Restricted))
    );
}

/// Keys in order, and the wake-up of the one that was not taken goes on.
#[test]
fn several_slots() {
    let linda = L::new();
    let slots = [linda.slot(&1), linda.slot(&2)];
    let cancel = Cancel::new();
    let (_, waker) = calls();
    let (other_calls, other) = calls();
    let mut both = pin!(linda.receive_async(&cancel, &slots));
    let mut one = pin!(linda.receive_async(&cancel, &slots[1..]));
    assert!(poll(&mut both, &waker).is_pending());
    assert!(poll(&mut one, &other).is_pending());
    send(&linda, &slots[1], &[2]);
    send(&linda, &slots[0], &[1]);
    assert_eq!(poll(&mut both, &waker), Poll::Ready(Ok((0, 1))));
    // Ready, but for the drop at its end.
    assert_eq!(other_calls.count(), 1);
    assert_eq!(poll(&mut one, &other), Poll::Ready(Ok((0, 2))));
}

/// Many tasks and some threads on one slot: each value comes once.
#[test]
fn many_tasks() {
    const TASKS: u32 = 200;
    const EACH: u32 = 50;
    let (linda, slot) = one_slot(Some(3));
    let linda = Arc::new(linda);
    let runtime = threads();
    let senders: Vec<_> = (0..TASKS)
        .map(|task| {
            let (linda, slot) = (Arc::clone(&linda), slot.clone());
            runtime.spawn(async move {
                let cancel = Cancel::new();
                for n in 0..EACH {
                    let mut value = Some(task * EACH + n);
                    linda.send_async(&cancel, &slot, &mut value).await.unwrap();
                }
            })
        })
        .collect();
    let receivers: Vec<_> = (0..TASKS / 2)
        .map(|_| {
            let (linda, slot) = (Arc::clone(&linda), slot.clone());
            runtime.spawn(async move {
                let cancel = Cancel::new();
                let mut got = Vec::new();
                for _ in 0..EACH {
                    let value = linda.receive_async(&cancel, from_ref(&slot)).await;
                    got.push(value.unwrap().1);
                }
                got
            })
        })
        .collect();
    let me = Me::new();
    let mut all: Vec<u32> = (0..TASKS * EACH / 2)
        .map(|_| {
            let got = linda.receive(&me.party(), from_ref(&slot), long());
            got.unwrap().1
        })
        .collect();
    runtime.block_on(async {
        for sender in senders {
            timeout(LONG, sender).await.unwrap().unwrap();
        }
        for receiver in receivers {
            all.extend(timeout(LONG, receiver).await.unwrap().unwrap());
        }
    });
    all.sort_unstable();
    assert_eq!(all, (0..TASKS * EACH).collect::<Vec<_>>());
}

/// Receivers that give up at random, many of them just when they are served,
/// lose no value and no wake-up.
#[test]
fn giving_up_at_random() {
    let (linda, slot) = one_slot::<u32>(Some(2));
    let linda = Arc::new(linda);
    let runtime = threads();
    let end = std::time::Instant::now() + stress_time();
    let (mut sent, mut round) = (0_u64, 0);
    while std::time::Instant::now() < end {
        round += 1;
        let count = 50;
        let receivers: Vec<_> = (0..4)
            .map(|n| {
                let (linda, slot) = (Arc::clone(&linda), slot.clone());
                runtime.spawn(async move {
                    let cancel = Cancel::new();
                    let mut random = Random::new(round * 4 + n);
                    let mut got = 0_u64;
                    loop {
                        let receive = linda.receive_async(&cancel, from_ref(&slot));
                        let patience = Duration::from_micros(random.below(1500));
                        match timeout(patience, receive).await {
                            Ok(Ok((_, 0))) => return got,
                            Ok(value) => got += u64::from(value.unwrap().1),
                            Err(_) => tokio::task::yield_now().await,
                        }
                    }
                })
            })
            .collect();
        let sum = runtime.block_on(async {
            let cancel = Cancel::new();
            let mut random = Random::new(round);
            for _ in 0..count {
                let mut value = Some(1);
                while value.is_some() {
                    let send = linda.send_async(&cancel, &slot, &mut value);
                    let patience = Duration::from_micros(random.below(1500));
                    let _ = timeout(patience, send).await;
                }
                sent += 1;
            }
            for _ in 0..4 {
                let mut zero = Some(0);
                let stop = linda.send_async(&cancel, &slot, &mut zero);
                timeout(LONG, stop).await.unwrap().unwrap();
            }
            let mut sum = 0;
            for receiver in receivers {
                sum += timeout(LONG, receiver).await.unwrap().unwrap();
            }
            sum
        });
        assert_eq!(sum, count);
    }
    assert!(sent > 0);
    assert_eq!(linda.count(&1), Some(0));
}
