//! Calls that block: how they end, and that no wake-up is lost.

#![cfg(not(rlanes_loom))]

mod common;

use std::sync::atomic::Ordering;
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use common::{LIMITS, Me, NAP, lasts, long, one_slot};
use linda::{
    Cancel, Cause, Deadline, Fill, Hint, Level, Linda, ReceiveError, Restriction, SendError,
    SlotRef, select,
};

type L = Linda<u32, u32>;
type S = SlotRef<u32, u32>;

fn send(me: &Me, linda: &L, slot: &S, values: &[u32], deadline: Deadline) -> Result<(), SendError> {
    linda.send(&me.party(), slot, &mut values.to_vec(), deadline)
}

fn receive(me: &Me, linda: &L, slots: &[&S], deadline: Deadline) -> Result<u32, ReceiveError> {
    let slots: Vec<S> = slots.iter().copied().cloned().collect();
    Ok(linda.receive(&me.party(), &slots, deadline)?.1)
}

/// A slot whose limit no sender can get below, and what is in it.
fn full(limit: usize) -> (L, S) {
    let (linda, slot) = one_slot(Some(limit));
    let _ = linda.set(&slot, vec![0; limit]).unwrap();
    (linda, slot)
}

#[test]
fn timeout_is_never_early() {
    for micros in [1, 10, 100, 1_000, 20_000] {
        let timeout = Duration::from_micros(micros);
        for limit in LIMITS {
            let (linda, slot) = one_slot(limit);
            let me = Me::new();
            let deadline = || Deadline::after(timeout);
            let outcome = lasts(timeout, || receive(&me, &linda, &[&slot], deadline()));
            assert_eq!(outcome, Err(ReceiveError::Timeout));
            let outcome = lasts(timeout, || {
                linda.receive_batched(&me.party(), &slot, 2, 3, deadline())
            });
            assert_eq!(outcome, Err(ReceiveError::Timeout));
            if let Some(limit) = limit {
                let values = vec![7; limit + 1];
                let outcome = lasts(timeout, || send(&me, &linda, &slot, &values, deadline()));
                assert_eq!(outcome, Err(SendError::Timeout));
                assert_eq!(linda.count(&1), Some(0));
            }
        }
        let me = Me::new();
        let deadline = Deadline::after(timeout);
        assert_eq!(
            lasts(timeout, || Cancel::wait(&me.party(), deadline)),
            Ok(())
        );
        let outcome = lasts(timeout, || {
            receive(&me, &L::new(), &[], Deadline::after(timeout))
        });
        assert_eq!(outcome, Err(ReceiveError::Timeout));
    }
}

#[test]
fn now_polls() {
    let (linda, slot) = full(1);
    let me = Me::new();
    assert_eq!(
        send(&me, &linda, &slot, &[1], Deadline::now()),
        Err(SendError::Timeout)
    );
    assert_eq!(
        receive(&me, &linda, &[&slot], Deadline::after(Duration::ZERO)),
        Ok(0)
    );
    let zero = Deadline::after_secs(0.0).unwrap();
    assert_eq!(
        receive(&me, &linda, &[&slot], zero),
        Err(ReceiveError::Timeout)
    );
    assert_eq!(Cancel::wait(&me.party(), zero), Ok(()));
    assert_eq!(me.sleeps.load(Ordering::SeqCst), 0);
}

#[test]
fn a_deadline_that_has_passed_tries_once() {
    let (linda, slot) = full(1);
    let me = Me::new();
    let passed = Deadline::at(Instant::now());
    assert_eq!(
        send(&me, &linda, &slot, &[1], passed),
        Err(SendError::Timeout)
    );
    assert_eq!(receive(&me, &linda, &[&slot], passed), Ok(0));
}

#[test]
fn an_idle_party_does_not_run() {
    let (linda, slot) = one_slot(None);
    let me = Me::new();
    scope(|s| {
        s.spawn(|| receive(&me, &linda, &[&slot], long()));
        me.wait_until_asleep();
        sleep(NAP);
        // One sleep, not many.
        assert_eq!(me.sleeps.load(Ordering::SeqCst), 1);
        send(&Me::new(), &linda, &slot, &[1], long()).unwrap();
    });
    assert!(!me.asleep.load(Ordering::SeqCst));
}

/// Runs `blocked` until it sleeps, then `act`; answers how `blocked` ended.
fn blocked_then<R: Send>(blocked: impl FnOnce(&Me) -> R + Send, act: impl FnOnce(&Me)) -> R {
    let me = Me::new();
    scope(|s| {
        let thread = s.spawn(|| blocked(&me));
        me.wait_until_asleep();
        act(&me);
        thread.join().unwrap()
    })
}

#[test]
fn a_receiver_is_woken_by_whatever_brings_values() {
    for limit in LIMITS {
        let acts: [fn(&L, &S); 2] = [
            |linda, slot| _ = send(&Me::new(), linda, slot, &[7], Deadline::now()),
            |linda, slot| _ = linda.set(slot, vec![7]),
        ];
        for (number, act) in acts.into_iter().enumerate() {
            if limit == Some(0) && number == 0 {
                continue;
            }
            let (linda, slot) = one_slot(limit);
            let outcome = blocked_then(
                |me| receive(me, &linda, &[&slot], long()),
                |_| act(&linda, &slot),
            );
            assert_eq!(outcome, Ok(7));
        }
    }
}

#[test]
fn a_sender_is_woken_by_whatever_makes_room() {
    let acts: [fn(&L, &S); 6] = [
        |linda, slot| _ = linda.receive_batched(&Me::new().party(), slot, 3, 3, long()),
        |linda, slot| (0..3).for_each(|_| _ = receive(&Me::new(), linda, &[slot], long())),
        |linda, slot| _ = linda.set(slot, vec![]),
        |linda, slot| _ = linda.set(slot, vec![9, 9]),
        |linda, slot| _ = linda.set_limit(slot, Some(8)),
        |linda, slot| _ = linda.set_limit(slot, None),
    ];
    for act in acts {
        let (linda, slot) = full(5);
        let outcome = blocked_then(
            |me| send(me, &linda, &slot, &[1, 2, 3], long()),
            |_| act(&linda, &slot),
        );
        assert_eq!(outcome, Ok(()));
    }
}

#[test]
fn a_batch_larger_than_the_room_there_was_gets_in() {
    let (linda, slot) = one_slot(Some(1));
    // Not even the empty slot has room for it, and nothing is ever full.
    let outcome = blocked_then(
        |me| send(me, &linda, &slot, &[1, 2, 3], long()),
        |_| {
            assert!(!linda.set_limit(&slot, Some(2)).unwrap().woke);
            assert!(!linda.set_limit(&slot, Some(3)).unwrap().woke);
        },
    );
    assert_eq!(outcome, Ok(()));
    assert_eq!(linda.limit(&slot), Ok((Some(3), Fill::Exact)));
}

#[test]
fn a_batch_that_waits_does_not_hold_up_others() {
    let (linda, slot) = full(2);
    let large = Me::new();
    scope(|s| {
        let thread = s.spawn(|| send(&large, &linda, &slot, &[1, 2, 3], long()));
        large.wait_until_asleep();
        let outcome = blocked_then(
            |me| send(me, &linda, &slot, &[4], long()),
            |_| assert_eq!(receive(&Me::new(), &linda, &[&slot], long()), Ok(0)),
        );
        assert_eq!(outcome, Ok(()));
        large.cancel.request(Level::Soft, true);
        assert_eq!(
            thread.join().unwrap(),
            Err(SendError::Cancelled(Cause::Soft))
        );
    });
    assert_eq!(linda.get(&slot, 9), Ok(vec![0, 4]));
}

#[test]
fn a_value_wakes_one_receiver() {
    let (linda, slot) = one_slot(None);
    let parties = [(); 4].map(|()| Me::new());
    scope(|s| {
        let threads = parties.each_ref().map(|me| {
            let thread = s.spawn(|| receive(me, &linda, &[&slot], long()));
            me.wait_until_asleep();
            thread
        });
        // First come, first served, when nobody barges in.
        for (value, thread) in threads.into_iter().enumerate() {
            sleep(NAP / 10);
            send(&Me::new(), &linda, &slot, &[value as u32], long()).unwrap();
            assert_eq!(thread.join().unwrap(), Ok(value as u32));
        }
    });
}

#[test]
fn priority_receive_passes_on() {
    for _ in 0..200 {
        let linda = L::new();
        let (high, low) = (linda.slot(&1), linda.slot(&2));
        let (both, one) = (Me::new(), Me::new());
        scope(|s| {
            let both_thread = s.spawn(|| receive(&both, &linda, &[&high, &low], long()));
            both.wait_until_asleep();
            let one_thread = s.spawn(|| receive(&one, &linda, &[&low], long()));
            one.wait_until_asleep();
            // `both` is selected for the low value, but finds the high one.
            send(&Me::new(), &linda, &low, &[2], long()).unwrap();
            send(&Me::new(), &linda, &high, &[1], long()).unwrap();
            if both_thread.join().unwrap() == Ok(2) {
                send(&Me::new(), &linda, &low, &[2], long()).unwrap();
            }
            assert_eq!(one_thread.join().unwrap(), Ok(2));
        });
    }
}

#[test]
fn a_selected_receiver_that_times_out_passes_on() {
    for round in 0..300 {
        let (linda, slot) = one_slot(None);
        let (hasty, patient) = (Me::new(), Me::new());
        let deadline = Deadline::after(Duration::from_micros(200 + round));
        scope(|s| {
            let hasty = s.spawn(|| receive(&hasty, &linda, &[&slot], deadline));
            let thread = s.spawn(|| receive(&patient, &linda, &[&slot], long()));
            patient.wait_until_asleep();
            while !deadline.passed() {
                std::hint::spin_loop();
            }
            send(&Me::new(), &linda, &slot, &[1], long()).unwrap();
            if hasty.join().unwrap().is_ok() {
                send(&Me::new(), &linda, &slot, &[2], long()).unwrap();
            }
            thread.join().unwrap().unwrap();
        });
    }
}

#[test]
fn cancellation_comes_before_the_first_attempt() {
    for (level, wake, cause) in [
        (Level::Soft, false, Cause::Soft),
        (Level::Soft, true, Cause::Soft),
        (Level::Hard, true, Cause::Hard),
    ] {
        let (linda, slot) = one_slot(None);
        linda.set(&slot, vec![1]).unwrap();
        let me = Me::new();
        me.cancel.request(level, wake);
        let now = Deadline::now();
        assert_eq!(
            send(&me, &linda, &slot, &[1], now),
            Err(SendError::Cancelled(cause))
        );
        assert_eq!(
            receive(&me, &linda, &[&slot], now),
            Err(ReceiveError::Cancelled(cause))
        );
        let batched = linda.receive_batched(&me.party(), &slot, 1, 1, now);
        assert_eq!(batched, Err(ReceiveError::Cancelled(cause)));
        assert_eq!(Cancel::wait(&me.party(), long()), Err(cause));
        // What does not block does not ask.
        assert_eq!(linda.get(&slot, 9), Ok(vec![1]));
    }
}

#[test]
fn cancellation_wakes() {
    for (level, cause) in [(Level::Soft, Cause::Soft), (Level::Hard, Cause::Hard)] {
        let (linda, slot) = full(1);
        let request = |me: &Me| me.cancel.request(level, true);
        let outcome = blocked_then(|me| receive(me, &linda, &[], long()), request);
        assert_eq!(outcome, Err(ReceiveError::Cancelled(cause)));
        let outcome = blocked_then(|me| send(me, &linda, &slot, &[1], long()), request);
        assert_eq!(outcome, Err(SendError::Cancelled(cause)));
        let outcome = blocked_then(|me| Cancel::wait(&me.party(), long()), request);
        assert_eq!(outcome, Err(cause));
        assert_eq!(linda.count(&1), Some(1));
    }
}

#[test]
fn the_level_only_rises() {
    let cancel = Cancel::new();
    assert_eq!(cancel.level(), Level::None);
    for (request, level) in [
        (Level::None, Level::None),
        (Level::Soft, Level::Soft),
        (Level::Hard, Level::Hard),
        (Level::Soft, Level::Hard),
        (Level::None, Level::Hard),
    ] {
        cancel.request(request, true);
        assert_eq!(cancel.level(), level);
    }
}

#[test]
fn soft_without_wake_is_noticed_when_woken() {
    let (linda, slot) = one_slot(None);
    let outcome = blocked_then(
        |me| receive(me, &linda, &[&slot], long()),
        |me| {
            me.cancel.request(Level::Soft, false);
            sleep(NAP);
            assert!(me.asleep.load(Ordering::SeqCst));
            linda.wake(Hint::Read);
        },
    );
    assert_eq!(outcome, Err(ReceiveError::Cancelled(Cause::Soft)));
}

#[test]
fn soft_without_wake_is_noticed_at_the_deadline() {
    let (linda, slot) = one_slot(None);
    let outcome = blocked_then(
        |me| {
            lasts(NAP * 2, || {
                receive(me, &linda, &[&slot], Deadline::after(NAP * 2))
            })
        },
        |me| me.cancel.request(Level::Soft, false),
    );
    assert_eq!(outcome, Err(ReceiveError::Cancelled(Cause::Soft)));
}

#[test]
fn soft_without_wake_is_noticed_after_the_recheck_period() {
    let (linda, slot) = one_slot(None);
    let me = Me {
        recheck: Some(NAP),
        ..Me::new()
    };
    scope(|s| {
        let waiting = s.spawn(|| lasts(NAP, || receive(&me, &linda, &[&slot], long())));
        me.wait_until_asleep();
        me.cancel.request(Level::Soft, false);
        assert_eq!(
            waiting.join().unwrap(),
            Err(ReceiveError::Cancelled(Cause::Soft))
        );
    });
    assert_eq!(me.sleeps.load(Ordering::SeqCst), 1);

    let me = Me {
        recheck: Some(NAP / 10),
        ..Me::new()
    };
    let outcome = lasts(NAP, || receive(&me, &linda, &[&slot], Deadline::after(NAP)));
    assert_eq!(outcome, Err(ReceiveError::Timeout));
    assert_eq!(
        lasts(NAP, || Cancel::wait(&me.party(), Deadline::after(NAP))),
        Ok(())
    );
}

#[test]
fn a_cancelled_linda_ends_calls() {
    for hint in [Hint::Read, Hint::Both] {
        let (linda, slot) = one_slot(None);
        let outcome = blocked_then(
            |me| receive(me, &linda, &[&slot], long()),
            |_| linda.cancel(hint),
        );
        assert_eq!(outcome, Err(ReceiveError::Cancelled(Cause::Linda)));
    }
    for hint in [Hint::Write, Hint::Both] {
        let (linda, slot) = full(1);
        let outcome = blocked_then(
            |me| send(me, &linda, &slot, &[1], long()),
            |_| linda.cancel(hint),
        );
        assert_eq!(outcome, Err(SendError::Cancelled(Cause::Linda)));
        // The party is asked first.
        let me = Me::new();
        me.cancel.request(Level::Hard, true);
        let outcome = receive(&me, &linda, &[&slot], long());
        assert_eq!(outcome, Err(ReceiveError::Cancelled(Cause::Hard)));
        linda.cancel(Hint::None);
        assert_eq!(receive(&Me::new(), &linda, &[&slot], long()), Ok(0));
    }
}

#[test]
fn wake_ends_no_call() {
    let (linda, slot) = one_slot(None);
    let outcome = blocked_then(
        |me| lasts(NAP, || receive(me, &linda, &[&slot], Deadline::after(NAP))),
        |_| {
            [Hint::Read, Hint::Write, Hint::Both, Hint::None]
                .into_iter()
                .for_each(|hint| linda.wake(hint))
        },
    );
    assert_eq!(outcome, Err(ReceiveError::Timeout));
}

#[test]
fn a_restriction_is_seen_by_those_who_wait() {
    let (linda, slot) = full(1);
    let other = linda.slot(&2);
    let restrict = |_: &Me| _ = linda.restrict(&slot, Some(Restriction::SetGet));
    let lift = || _ = linda.restrict(&slot, Some(Restriction::None));
    let outcome = blocked_then(|me| send(me, &linda, &slot, &[1], long()), restrict);
    assert_eq!(outcome, Err(SendError::Restricted));
    lift();
    linda.set(&slot, vec![]).unwrap();
    let outcome = blocked_then(|me| receive(me, &linda, &[&other, &slot], long()), restrict);
    assert_eq!(outcome, Err(ReceiveError::Restricted));
    // The scan gets no further than the first value.
    send(&Me::new(), &linda, &other, &[5], long()).unwrap();
    assert_eq!(receive(&Me::new(), &linda, &[&other, &slot], long()), Ok(5));
    assert_eq!(
        receive(&Me::new(), &linda, &[&slot, &other], long()),
        Err(ReceiveError::Restricted)
    );
}

#[test]
fn batched_waits_for_its_minimum() {
    let (linda, slot) = one_slot(None);
    let outcome = blocked_then(
        |me| linda.receive_batched(&me.party(), &slot, 3, 4, long()),
        |_| {
            for value in 1..=3 {
                assert_eq!(linda.count(&1), (value > 1).then_some(value - 1));
                send(&Me::new(), &linda, &slot, &[value as u32], long()).unwrap();
            }
        },
    );
    assert_eq!(outcome, Ok(vec![1, 2, 3]));
}

#[test]
fn select_waits_on_several_lindas() {
    let (a, b) = (L::new(), L::new());
    let (a1, b1) = (a.slot(&1), b.slot(&1));
    let sources = [(&a, &a1), (&b, &b1)];
    let outcome = blocked_then(
        |me| select(&me.party(), &sources, long()),
        |_| send(&Me::new(), &b, &b1, &[7], long()).unwrap(),
    );
    assert_eq!(outcome, Ok((1, 7)));
    let outcome = blocked_then(
        |me| select(&me.party(), &sources, long()),
        |_| b.cancel(Hint::Read),
    );
    assert_eq!(outcome, Err(ReceiveError::Cancelled(Cause::Linda)));
    let outcome = select(&Me::new().party(), &sources[..1], Deadline::now());
    assert_eq!(outcome, Err(ReceiveError::Timeout));
}
