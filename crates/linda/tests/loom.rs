//! Models of the waiting protocol: loom runs each in every order of its steps.
//!
//! ```sh
//! RUSTFLAGS="--cfg rlanes_loom" CARGO_TARGET_DIR=target/loom \
//!     cargo test -p linda --release --test loom
//! ```
//!
//! loom reports a thread that sleeps for ever as a deadlock, so "ends" below is
//! checked without a word. A deadline passes as soon as somebody sleeps on it,
//! which is at every possible moment for the other threads.
//! `LOOM_MAX_PREEMPTIONS` bounds the search, which is complete without it.

#![cfg(rlanes_loom)]

use std::future::Future;
use std::pin::{Pin, pin};
use std::slice::from_ref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use linda::{
    Cancel, Cause, Deadline, Hint, Level, Linda, Party, ReceiveError, Restriction, SendError,
    SlotRef, Spin,
};
use loom::thread::{JoinHandle, spawn};

type L = Linda<u8, u32>;
type S = SlotRef<u8, u32>;

fn model(body: impl Fn() + Sync + Send + 'static) {
    search(loom::model::Builder::new(), body);
}

/// Like `model`, for three threads that share a slot: only orders in which
/// threads are interrupted at most so often where they need not be.
fn model_bounded(body: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound.get_or_insert(3);
    search(builder, body);
}

fn search(builder: loom::model::Builder, body: impl Fn() + Sync + Send + 'static) {
    let orders = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&orders);
    builder.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        body();
    });
    println!("{} orders", orders.load(Ordering::Relaxed));
}

fn linda() -> (Arc<L>, S) {
    let linda = Arc::new(L::new());
    let slot = linda.slot(&1);
    (linda, slot)
}

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(1))
}

fn never() -> Deadline {
    Deadline::never()
}

fn alone<R>(act: impl FnOnce(&Party<'_>) -> R) -> R {
    act(&Party::new(&Cancel::new(), &Spin::with_cores(1)))
}

fn send(linda: &L, slot: &S, values: &[u32], deadline: Deadline) -> Result<(), SendError> {
    alone(|party| linda.send(party, slot, &mut values.to_vec(), deadline))
}

fn receive(linda: &L, slots: &[S], deadline: Deadline) -> Result<(usize, u32), ReceiveError> {
    alone(|party| linda.receive(party, slots, deadline))
}

/// A thread that receives one value from these slots.
fn receiver(
    linda: &Arc<L>,
    slots: &[&S],
    deadline: Deadline,
) -> JoinHandle<Result<(usize, u32), ReceiveError>> {
    let linda = Arc::clone(linda);
    let slots: Vec<S> = slots.iter().copied().cloned().collect();
    spawn(move || receive(&linda, &slots, deadline))
}

/// A thread that sends these values.
fn sender(
    linda: &Arc<L>,
    slot: &S,
    values: &'static [u32],
    deadline: Deadline,
) -> JoinHandle<Result<(), SendError>> {
    let (linda, slot) = (Arc::clone(linda), slot.clone());
    spawn(move || send(&linda, &slot, values, deadline))
}

/// What wakes a task in a model: a flag that the task can sleep on.
struct Bell {
    rung: loom::sync::Mutex<bool>,
    ring: loom::sync::Condvar,
}

impl Bell {
    fn new() -> (Arc<Self>, Waker) {
        let bell = Arc::new(Self {
            rung: loom::sync::Mutex::new(false),
            ring: loom::sync::Condvar::new(),
        });
        (Arc::clone(&bell), Waker::from(bell))
    }

    fn wait(&self) {
        let mut rung = self.rung.lock().unwrap();
        while !*rung {
            rung = self.ring.wait(rung).unwrap();
        }
        *rung = false;
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        *self.rung.lock().unwrap() = true;
        self.ring.notify_one();
    }
}

fn poll<F: Future>(future: &mut Pin<&mut F>, waker: &Waker) -> Poll<F::Output> {
    future.as_mut().poll(&mut Context::from_waker(waker))
}

/// Runs a task to its end, polling it only when it was woken.
fn run<F: Future>(mut future: Pin<&mut F>) -> F::Output {
    let (bell, waker) = Bell::new();
    loop {
        match poll(&mut future, &waker) {
            Poll::Ready(output) => return output,
            Poll::Pending => bell.wait(),
        }
    }
}

/// A receiver that starts to wait while a value is sent gets it.
#[test]
fn send_and_receive() {
    model(|| {
        let (linda, slot) = linda();
        let receiver = receiver(&linda, &[&slot], never());
        send(&linda, &slot, &[7], never()).unwrap();
        assert_eq!(receiver.join().unwrap(), Ok((0, 7)));
    });
}

/// Of two receivers and two values, sent one by one, each gets one.
#[test]
fn two_receivers_two_values() {
    model_bounded(|| {
        let (linda, slot) = linda();
        let receivers = [(); 2].map(|()| receiver(&linda, &[&slot], never()));
        send(&linda, &slot, &[1], never()).unwrap();
        send(&linda, &slot, &[2], never()).unwrap();
        let mut got = receivers.map(|receiver| receiver.join().unwrap().unwrap().1);
        got.sort_unstable();
        assert_eq!(got, [1, 2]);
    });
}

/// Of two receivers and one value, at most one gets it; nobody else does.
#[test]
fn two_receivers_one_value() {
    model_bounded(|| {
        let (linda, slot) = linda();
        let receivers = [(); 2].map(|()| receiver(&linda, &[&slot], never()));
        send(&linda, &slot, &[1], never()).unwrap();
        linda.cancel(Hint::Both);
        let got = receivers.map(|receiver| receiver.join().unwrap().is_ok());
        let got = got.into_iter().filter(|&got| got).count();
        assert_eq!(linda.count(&1), Some(1 - got));
    });
}

/// A receiver whose party is cancelled ends, and takes the value or leaves it.
#[test]
fn cancel_and_receive() {
    model(|| {
        let (linda, slot) = linda();
        let cancel = Arc::new(Cancel::new());
        let receiver = spawn({
            let (linda, slot, cancel) = (Arc::clone(&linda), slot.clone(), Arc::clone(&cancel));
            move || {
                let spin = Spin::with_cores(1);
                linda.receive(&Party::new(&cancel, &spin), &[slot], Deadline::never())
            }
        });
        cancel.request(Level::Hard, true);
        send(&linda, &slot, &[7], never()).unwrap();
        match receiver.join().unwrap() {
            Ok(taken) => assert_eq!(taken, (0, 7)),
            Err(error) => {
                assert_eq!(error, ReceiveError::Cancelled(Cause::Hard));
                assert_eq!(linda.count(&1), Some(1));
            }
        }
    });
}

/// A sleep ends by a cancellation that comes while it begins.
#[test]
fn cancel_and_sleep() {
    model(|| {
        let cancel = Arc::new(Cancel::new());
        let sleeper = spawn({
            let cancel = Arc::clone(&cancel);
            move || {
                Cancel::wait(
                    &Party::new(&cancel, &Spin::with_cores(1)),
                    Deadline::never(),
                )
            }
        });
        cancel.request(Level::Soft, true);
        assert_eq!(sleeper.join().unwrap(), Err(Cause::Soft));
    });
}

/// A cancelled receiver that was selected leaves the value to another one.
#[test]
fn cancelled_receiver_passes_on() {
    model_bounded(|| {
        let (linda, slot) = linda();
        let cancel = Arc::new(Cancel::new());
        let first = spawn({
            let (linda, slot, cancel) = (Arc::clone(&linda), slot.clone(), Arc::clone(&cancel));
            move || {
                let spin = Spin::with_cores(1);
                linda.receive(&Party::new(&cancel, &spin), &[slot], Deadline::never())
            }
        });
        let second = receiver(&linda, &[&slot], never());
        send(&linda, &slot, &[1], never()).unwrap();
        cancel.request(Level::Soft, true);
        if first.join().unwrap().is_ok() {
            send(&linda, &slot, &[2], never()).unwrap();
        }
        second.join().unwrap().unwrap();
        assert_eq!(linda.count(&1), Some(0));
    });
}

/// Everybody who waits on a linda ends when it is cancelled.
#[test]
fn linda_cancel_and_receive() {
    model(|| {
        let (linda, slot) = linda();
        let receiver = receiver(&linda, &[&slot], never());
        linda.cancel(Hint::Both);
        let outcome = receiver.join().unwrap();
        assert_eq!(outcome, Err(ReceiveError::Cancelled(Cause::Linda)));
    });
}

/// A receive that times out while a value is sent takes it or leaves it.
#[test]
fn timeout_and_send() {
    model(|| {
        let (linda, slot) = linda();
        let receiver = receiver(&linda, &[&slot], soon());
        send(&linda, &slot, &[7], never()).unwrap();
        match receiver.join().unwrap() {
            Ok(taken) => {
                assert_eq!(taken, (0, 7));
                assert_eq!(linda.count(&1), Some(0));
            }
            Err(error) => {
                assert_eq!(error, ReceiveError::Timeout);
                assert_eq!(linda.count(&1), Some(1));
            }
        }
    });
}

/// A send that times out while room is made has sent all or nothing.
#[test]
fn send_timeout_and_receive() {
    model(|| {
        let (linda, slot) = linda();
        linda.set_limit(&slot, Some(2)).unwrap();
        send(&linda, &slot, &[1], never()).unwrap();
        let sender = sender(&linda, &slot, &[2, 3], soon());
        assert_eq!(receive(&linda, &[slot], never()), Ok((0, 1)));
        let left = if sender.join().unwrap().is_ok() { 2 } else { 0 };
        assert_eq!(linda.count(&1), Some(left));
    });
}

/// A receiver that was selected and then times out passes the wake-up on.
#[test]
fn selected_then_timeout_passes_on() {
    model_bounded(|| {
        let (linda, slot) = linda();
        let hasty = receiver(&linda, &[&slot], soon());
        let patient = receiver(&linda, &[&slot], never());
        send(&linda, &slot, &[1], never()).unwrap();
        if hasty.join().unwrap().is_ok() {
            send(&linda, &slot, &[2], never()).unwrap();
        }
        patient.join().unwrap().unwrap();
        assert_eq!(linda.count(&1), Some(0));
    });
}

/// A sender that was selected and then times out passes the wake-up on.
#[test]
fn selected_sender_passes_on() {
    model_bounded(|| {
        let (linda, slot) = linda();
        linda.set_limit(&slot, Some(1)).unwrap();
        send(&linda, &slot, &[0], never()).unwrap();
        let hasty = sender(&linda, &slot, &[1], soon());
        let patient = sender(&linda, &slot, &[2], never());
        receive(&linda, &[slot.clone()], never()).unwrap();
        if hasty.join().unwrap().is_ok() {
            receive(&linda, &[slot.clone()], never()).unwrap();
        }
        patient.join().unwrap().unwrap();
        assert_eq!(linda.count(&1), Some(1));
    });
}

/// A batch that is larger than the limit gets in when the limit is raised.
#[test]
fn batch_and_limit() {
    model(|| {
        let (linda, slot) = linda();
        linda.set_limit(&slot, Some(1)).unwrap();
        let sender = sender(&linda, &slot, &[1, 2], never());
        linda.set_limit(&slot, Some(2)).unwrap();
        sender.join().unwrap().unwrap();
        assert_eq!(linda.count(&1), Some(2));
    });
}

/// A sender of one value gets in, though a larger batch is before it in line.
#[test]
fn batch_does_not_block_others() {
    model_bounded(|| {
        let (linda, slot) = linda();
        linda.set_limit(&slot, Some(1)).unwrap();
        send(&linda, &slot, &[0], never()).unwrap();
        let large = sender(&linda, &slot, &[1, 2], soon());
        let small = sender(&linda, &slot, &[3], never());
        receive(&linda, &[slot.clone()], never()).unwrap();
        small.join().unwrap().unwrap();
        assert_eq!(large.join().unwrap(), Err(SendError::Timeout));
    });
}

/// A blocked sender gets in when the contents are replaced by fewer.
#[test]
fn set_makes_room() {
    model(|| {
        let (linda, slot) = linda();
        linda.set_limit(&slot, Some(2)).unwrap();
        send(&linda, &slot, &[1, 2], never()).unwrap();
        let sender = sender(&linda, &slot, &[3], never());
        assert!(linda.set(&slot, vec![4]).unwrap().woke);
        sender.join().unwrap().unwrap();
        assert_eq!(linda.count(&1), Some(2));
    });
}

/// Of a receiver that needs two values and one that needs one, both end when
/// three come one by one.
#[test]
fn batched_and_single() {
    model_bounded(|| {
        let (linda, slot) = linda();
        let pair = spawn({
            let (linda, slot) = (Arc::clone(&linda), slot.clone());
            move || alone(|party| linda.receive_batched(party, &slot, 2, 2, Deadline::never()))
        });
        let single = receiver(&linda, &[&slot], never());
        for value in 1..=3 {
            send(&linda, &slot, &[value], never()).unwrap();
        }
        let sum = pair.join().unwrap().unwrap().iter().sum::<u32>();
        assert_eq!(sum + single.join().unwrap().unwrap().1, 6);
    });
}

/// A receiver that was selected for two values, and finds that somebody took
/// one, leaves the other to who needs one.
#[test]
fn too_few_after_waking_passes_on() {
    model_bounded(|| {
        let (linda, slot) = linda();
        let pair = spawn({
            let (linda, slot) = (Arc::clone(&linda), slot.clone());
            move || alone(|party| linda.receive_batched(party, &slot, 2, 2, Deadline::never()))
        });
        let single = receiver(&linda, &[&slot], never());
        send(&linda, &slot, &[1, 2], never()).unwrap();
        let barged = receive(&linda, from_ref(&slot), Deadline::now()).is_ok();
        if !barged {
            send(&linda, &slot, &[3], never()).unwrap();
        }
        single.join().unwrap().unwrap();
        if barged {
            send(&linda, &slot, &[4, 5], never()).unwrap();
        }
        pair.join().unwrap().unwrap();
        assert_eq!(linda.count(&1), Some(0));
    });
}

/// A receiver on two slots that takes from one passes on the wake-up that it
/// was given by the other.
#[test]
fn two_slots_pass_on() {
    model_bounded(|| {
        let (linda, slot) = linda();
        let other = linda.slot(&2);
        let both = receiver(&linda, &[&other, &slot], never());
        let one = receiver(&linda, &[&slot], never());
        send(&linda, &slot, &[1], never()).unwrap();
        send(&linda, &other, &[2], never()).unwrap();
        let (index, value) = both.join().unwrap().unwrap();
        assert_eq!(value, [2, 1][index]);
        if index == 1 {
            send(&linda, &slot, &[1], never()).unwrap();
        }
        assert_eq!(one.join().unwrap(), Ok((0, 1)));
    });
}

/// A receiver that asks for one slot twice gets both wake-ups right.
#[test]
fn one_slot_twice() {
    model_bounded(|| {
        let (linda, slot) = linda();
        let twice = receiver(&linda, &[&slot, &slot], never());
        let once = receiver(&linda, &[&slot], never());
        send(&linda, &slot, &[1], never()).unwrap();
        send(&linda, &slot, &[2], never()).unwrap();
        let sum = twice.join().unwrap().unwrap().1 + once.join().unwrap().unwrap().1;
        assert_eq!(sum, 3);
    });
}

/// A wake without cause ends no call and swallows no value.
#[test]
fn wake_and_send() {
    model(|| {
        let (linda, slot) = linda();
        let receiver = receiver(&linda, &[&slot], never());
        linda.wake(Hint::Read);
        send(&linda, &slot, &[7], never()).unwrap();
        assert_eq!(receiver.join().unwrap(), Ok((0, 7)));
    });
}

/// A receiver sees a restriction that is made while it waits.
#[test]
fn restrict_and_receive() {
    model(|| {
        let (linda, slot) = linda();
        let receiver = receiver(&linda, &[&slot], never());
        linda.restrict(&slot, Some(Restriction::SetGet)).unwrap();
        assert_eq!(receiver.join().unwrap(), Err(ReceiveError::Restricted));
    });
}

/// Values that pass from one end of a slot to the other keep their order, and a
/// sender that waits for room is woken by receives that find nobody in line.
#[test]
fn order_across_the_ends() {
    model(|| {
        let (linda, slot) = linda();
        linda.set_limit(&slot, Some(2)).unwrap();
        send(&linda, &slot, &[1], never()).unwrap();
        let sender = {
            let (linda, slot) = (Arc::clone(&linda), slot.clone());
            spawn(move || {
                for value in [2, 3] {
                    send(&linda, &slot, &[value], never()).unwrap();
                }
            })
        };
        for value in [1, 2, 3] {
            assert_eq!(receive(&linda, from_ref(&slot), never()), Ok((0, value)));
        }
        sender.join().unwrap();
    });
}

/// Senders that know of too little room at their end still keep the limit.
#[test]
fn the_limit_holds() {
    model_bounded(|| {
        let (linda, slot) = linda();
        linda.set_limit(&slot, Some(2)).unwrap();
        send(&linda, &slot, &[1, 2], never()).unwrap();
        // Both are in the front now, and one of them is taken.
        assert_eq!(receive(&linda, from_ref(&slot), never()), Ok((0, 1)));
        let senders = [3, 4].map(|value| {
            let (linda, slot) = (Arc::clone(&linda), slot.clone());
            spawn(move || send(&linda, &slot, &[value], Deadline::now()).is_ok())
        });
        let first = receive(&linda, from_ref(&slot), Deadline::now());
        assert_eq!(first, Ok((0, 2)));
        let seen = linda.count(&1).unwrap();
        let sent = senders.map(|sender| sender.join().unwrap());
        let sent = sent.into_iter().filter(|&sent| sent).count();
        assert!(seen <= 2 && (1..=2).contains(&sent));
        assert_eq!(linda.count(&1), Some(sent));
    });
}

/// A spent value reaches a sender, or stays with one of the two.
#[test]
fn spent_values_go_back() {
    model(|| {
        let (linda, slot) = linda();
        send(&linda, &slot, &[1], never()).unwrap();
        let sender = {
            let (linda, slot) = (Arc::clone(&linda), slot.clone());
            spawn(move || {
                let mut spare = None;
                for value in [2, 3] {
                    alone(|party| {
                        linda.send_recycling(party, &slot, &mut Some(value), &mut spare, never())
                    })
                    .unwrap();
                }
                spare
            })
        };
        let mut spent = Some(100);
        for value in [1, 2] {
            let got = alone(|party| {
                linda.receive_recycling(party, from_ref(&slot), &mut spent, 1, never())
            });
            assert_eq!(got, Ok((0, value)));
        }
        assert!(sender.join().unwrap().is_none_or(|spare| spare == 100));
    });
}

/// A task that starts to wait while a value is sent gets it.
#[test]
fn task_and_send() {
    model(|| {
        let (linda, slot) = linda();
        let sender = sender(&linda, &slot, &[7], never());
        let cancel = Cancel::new();
        let received = run(pin!(linda.receive_async(&cancel, from_ref(&slot))));
        assert_eq!(received, Ok((0, 7)));
        sender.join().unwrap().unwrap();
    });
}

/// A task that starts to wait while room is made sends.
#[test]
fn task_and_receive() {
    model(|| {
        let (linda, slot) = linda();
        linda.set_limit(&slot, Some(1)).unwrap();
        send(&linda, &slot, &[1], never()).unwrap();
        let receiver = receiver(&linda, &[&slot], never());
        let (cancel, mut value) = (Cancel::new(), Some(2));
        let sent = run(pin!(linda.send_async(&cancel, &slot, &mut value)));
        assert_eq!((sent, value), (Ok(()), None));
        assert_eq!(receiver.join().unwrap(), Ok((0, 1)));
        assert_eq!(linda.count(&1), Some(1));
    });
}

/// A task that is cancelled ends, and takes the value or leaves it.
#[test]
fn cancel_and_task() {
    model(|| {
        let (linda, slot) = linda();
        let cancel = Arc::new(Cancel::new());
        let other = spawn({
            let (linda, slot, cancel) = (Arc::clone(&linda), slot.clone(), Arc::clone(&cancel));
            move || {
                cancel.request(Level::Soft, true);
                send(&linda, &slot, &[7], never()).unwrap();
            }
        });
        let received = run(pin!(linda.receive_async(&cancel, from_ref(&slot))));
        other.join().unwrap();
        match received {
            Ok(taken) => assert_eq!(taken, (0, 7)),
            Err(error) => {
                assert_eq!(error, ReceiveError::Cancelled(Cause::Soft));
                assert_eq!(linda.count(&1), Some(1));
            }
        }
    });
}

/// A future that is dropped at any moment of a send leaves the value to a
/// thread that waits behind it, whether it was selected or not.
#[test]
fn dropped_task_passes_on() {
    model_bounded(|| {
        let (linda, slot) = linda();
        let cancel = Cancel::new();
        let (_bell, waker) = Bell::new();
        let mut future = Box::pin(linda.receive_async(&cancel, from_ref(&slot)));
        assert!(poll(&mut future.as_mut(), &waker).is_pending());
        let receiver = receiver(&linda, &[&slot], never());
        let sender = sender(&linda, &slot, &[1], never());
        drop(future);
        assert_eq!(receiver.join().unwrap(), Ok((0, 1)));
        sender.join().unwrap().unwrap();
        assert_eq!(linda.count(&1), Some(0));
    });
}

/// The same for a sender and room.
#[test]
fn dropped_sending_task_passes_on() {
    model_bounded(|| {
        let (linda, slot) = linda();
        linda.set_limit(&slot, Some(1)).unwrap();
        send(&linda, &slot, &[0], never()).unwrap();
        let (cancel, mut value) = (Cancel::new(), Some(1));
        let (_bell, waker) = Bell::new();
        let mut future = Box::pin(linda.send_async(&cancel, &slot, &mut value));
        assert!(poll(&mut future.as_mut(), &waker).is_pending());
        let patient = sender(&linda, &slot, &[2], never());
        let receiver = receiver(&linda, &[&slot], never());
        drop(future);
        assert_eq!(value, Some(1));
        assert_eq!(receiver.join().unwrap(), Ok((0, 0)));
        patient.join().unwrap().unwrap();
        assert_eq!(receive(&linda, &[slot], never()), Ok((0, 2)));
    });
}

/// A task that is polled with another waker while a value is sent gets it, or
/// is woken through the new one.
#[test]
fn another_waker_and_send() {
    model(|| {
        let (linda, slot) = linda();
        let cancel = Cancel::new();
        let (_bell, first) = Bell::new();
        let mut future = pin!(linda.receive_async(&cancel, from_ref(&slot)));
        assert!(poll(&mut future, &first).is_pending());
        let sender = sender(&linda, &slot, &[7], never());
        assert_eq!(run(future), Ok((0, 7)));
        sender.join().unwrap().unwrap();
    });
}

/// A task that finds nothing when it changes its waker passes on the wake-up
/// that it got through the old one.
#[test]
fn another_waker_passes_on() {
    model_bounded(|| {
        let (linda, slot) = linda();
        let cancel = Cancel::new();
        let ((_, first), (_, second)) = (Bell::new(), Bell::new());
        let mut future = Box::pin(linda.receive_async(&cancel, from_ref(&slot)));
        assert!(poll(&mut future.as_mut(), &first).is_pending());
        let patient = receiver(&linda, &[&slot], never());
        let sender = sender(&linda, &slot, &[1], never());
        let took = poll(&mut future.as_mut(), &second).is_ready();
        drop(future);
        if took {
            send(&linda, &slot, &[2], never()).unwrap();
        }
        patient.join().unwrap().unwrap();
        sender.join().unwrap().unwrap();
        assert_eq!(linda.count(&1), Some(0));
    });
}
