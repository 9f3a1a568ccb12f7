//! Many producers and consumers: every value arrives exactly once, and nobody
//! sleeps for ever. `RLANES_STRESS_SECS` makes each test run longer; run them
//! on one processor too (`taskset -c 0`).

#![cfg(not(rlanes_loom))]

mod common;

use std::collections::HashMap;
use std::slice::from_ref;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::scope;
use std::time::{Duration, Instant};

use common::{Me, Random, long, stress_time};
use linda::{Deadline, Hint, Level, Linda, ReceiveError, SendError, SlotRef};

type L = Linda<u64, u64>;

/// What a stress test is made of.
#[derive(Clone, Copy)]
struct Setup {
    producers: u64,
    consumers: u64,
    keys: u64,
    limit: Option<usize>,
    largest_batch: u64,
    /// Timeouts, cancellations, wakes and raised limits are mixed in.
    hostile: bool,
}

const CALM: Setup = Setup {
    producers: 3,
    consumers: 3,
    keys: 2,
    limit: None,
    largest_batch: 1,
    hostile: false,
};

/// A deadline that is often short if times are hostile.
fn some_deadline(setup: Setup, random: &mut Random) -> Deadline {
    match random.below(4) {
        0 if setup.hostile => Deadline::after(Duration::from_micros(random.below(100))),
        1 if setup.hostile => Deadline::now(),
        _ => long(),
    }
}

/// Sends the numbers of `who`, in order, until the time is up. Answers how many.
fn produce(setup: Setup, linda: &L, who: u64, until: Instant) -> u64 {
    let mut random = Random::new(who);
    let slots: Vec<_> = (0..setup.keys).map(|key| linda.slot(&key)).collect();
    let mut next = 0;
    let mut me = Me::new();
    while Instant::now() < until {
        let count = 1 + random.below(setup.largest_batch);
        let mut batch: Vec<u64> = (next..next + count)
            .map(|number| who << 32 | number)
            .collect();
        let slot = &slots[random.below(setup.keys) as usize];
        if setup.hostile && random.below(50) == 0 {
            me.cancel.request(Level::Soft, true);
        }
        match linda.send(
            &me.party(),
            slot,
            &mut batch,
            some_deadline(setup, &mut random),
        ) {
            Ok(()) => next += count,
            Err(SendError::Timeout) => assert_eq!(batch.len() as u64, count),
            Err(SendError::Cancelled(_)) => me = Me::new(),
            Err(error) => panic!("{error}"),
        }
    }
    next
}

/// Receives until told to stop and nothing is left.
fn consume(setup: Setup, linda: &L, who: u64, me: &Me, stop: &AtomicBool) -> Vec<u64> {
    let mut random = Random::new(who + 100);
    let mut slots: Vec<SlotRef<_, _>> = (0..setup.keys).map(|key| linda.slot(&key)).collect();
    let mut got = Vec::new();
    loop {
        let last = stop.load(Ordering::SeqCst);
        let hasty = Me::new();
        let cancelled = setup.hostile && random.below(50) == 0;
        if cancelled {
            hasty.cancel.request(Level::Hard, true);
        }
        // The shared `me` is what ends the test for who sleeps without deadline.
        let party = if cancelled { hasty.party() } else { me.party() };
        let deadline = if last {
            Deadline::now()
        } else {
            some_deadline(setup, &mut random)
        };
        let outcome = if setup.largest_batch > 1 && random.below(3) == 0 {
            let slot = &slots[random.below(setup.keys) as usize];
            let min = if last {
                1
            } else {
                1 + random.below(setup.largest_batch) as usize
            };
            // Briefly: it may wait for more than the producers have room for.
            let soon = deadline.earlier(Deadline::after(Duration::from_millis(1)));
            linda.receive_batched(&party, slot, min, min + 1, soon)
        } else {
            // All keys, each time in another order.
            slots.rotate_left(random.below(setup.keys) as usize);
            linda
                .receive(&party, &slots, deadline)
                .map(|(_, value)| vec![value])
        };
        match outcome {
            Ok(values) => got.extend(values),
            Err(ReceiveError::Timeout) => {}
            Err(ReceiveError::Cancelled(_)) if cancelled => {}
            Err(ReceiveError::Cancelled(_)) => return got,
            Err(error) => panic!("{error}"),
        }
    }
}

fn run(setup: Setup) {
    let linda = L::new();
    for key in 0..setup.keys {
        linda.set_limit(&linda.slot(&key), setup.limit).unwrap();
    }
    let (linda, stop) = (&linda, &AtomicBool::new(false));
    let until = Instant::now() + stress_time();
    let consumers: Vec<Me> = (0..setup.consumers).map(|_| Me::new()).collect();
    let (sent, mut got) = scope(|s| {
        let producing: Vec<_> = (0..setup.producers)
            .map(|who| s.spawn(move || produce(setup, linda, who, until)))
            .collect();
        let consuming: Vec<_> = (0..)
            .zip(&consumers)
            .map(|(who, me)| s.spawn(move || consume(setup, linda, who, me, stop)))
            .collect();
        if setup.hostile {
            let meddler = s.spawn(move || {
                let mut random = Random::new(7);
                while Instant::now() < until {
                    let slot = linda.slot(&random.below(setup.keys));
                    linda.wake([Hint::Read, Hint::Write, Hint::Both][random.below(3) as usize]);
                    let more = setup.limit.map(|limit| limit + random.below(2) as usize);
                    linda.set_limit(&slot, more).unwrap();
                    std::thread::sleep(Duration::from_micros(50));
                }
            });
            meddler.join().unwrap();
        }
        let sent: Vec<u64> = producing
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect();
        stop.store(true, Ordering::SeqCst);
        for me in &consumers {
            me.cancel.request(Level::Soft, true);
        }
        let got = consuming
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect::<Vec<_>>();
        (sent, got)
    });
    // What nobody waited for any more.
    let me = Me::new();
    let slots: Vec<_> = (0..setup.keys).map(|key| linda.slot(&key)).collect();
    let mut rest = Vec::new();
    while let Ok((_, value)) = linda.receive(&me.party(), &slots, Deadline::now()) {
        rest.push(value);
    }
    got.push(rest);
    if setup.keys == 1 {
        // Each consumer sees the values of each producer in order.
        for values in &got {
            let mut last = HashMap::new();
            for value in values {
                let before = last.insert(value >> 32, value);
                assert!(before < Some(value));
            }
        }
    }
    let mut all = got.concat();
    all.sort_unstable();
    let expected = (0..)
        .zip(sent)
        .flat_map(|(who, sent)| (0..sent).map(move |n| who << 32 | n));
    assert!(all.into_iter().eq(expected));
}

#[test]
fn limit_none() {
    run(CALM);
}

#[test]
fn limit_one() {
    run(Setup {
        limit: Some(1),
        ..CALM
    });
}

#[test]
fn limit_eight() {
    run(Setup {
        limit: Some(8),
        ..CALM
    });
}

#[test]
fn one_key() {
    run(Setup {
        keys: 1,
        limit: Some(8),
        largest_batch: 4,
        ..CALM
    });
}

#[test]
fn batches() {
    run(Setup {
        limit: Some(8),
        largest_batch: 5,
        ..CALM
    });
}

#[test]
fn hostile_limit_one() {
    run(Setup {
        limit: Some(1),
        hostile: true,
        ..CALM
    });
}

#[test]
fn hostile_limit_eight() {
    run(Setup {
        limit: Some(8),
        hostile: true,
        ..CALM
    });
}

#[test]
fn hostile_batches() {
    run(Setup {
        limit: Some(8),
        largest_batch: 5,
        keys: 3,
        hostile: true,
        ..CALM
    });
}

#[test]
fn hostile_one_key() {
    run(Setup {
        limit: Some(4),
        largest_batch: 3,
        keys: 1,
        hostile: true,
        ..CALM
    });
}

/// No deadline rescues anybody: a lost wake-up hangs.
#[test]
fn ping_pong_never_hangs() {
    let linda = L::new();
    let (linda, rounds) = (&linda, &AtomicU64::new(0));
    let until = Instant::now() + stress_time();
    let pairs = 3;
    scope(|s| {
        for pair in 0..pairs {
            let (there, back) = (linda.slot(&(2 * pair)), linda.slot(&(2 * pair + 1)));
            linda.set_limit(&there, Some(1)).unwrap();
            linda.set_limit(&back, Some(1)).unwrap();
            let echo = (there.clone(), back.clone());
            s.spawn(move || {
                let me = Me::new();
                loop {
                    let got = linda.receive(&me.party(), from_ref(&echo.0), Deadline::never());
                    let value = got.unwrap().1;
                    let back =
                        linda.send(&me.party(), &echo.1, &mut Some(value), Deadline::never());
                    back.unwrap();
                    if value == u64::MAX {
                        break;
                    }
                }
            });
            s.spawn(move || {
                let me = Me::new();
                let mut value = 0;
                while value != u64::MAX {
                    value = if Instant::now() < until {
                        value + 1
                    } else {
                        u64::MAX
                    };
                    let sent = linda.send(&me.party(), &there, &mut Some(value), Deadline::never());
                    sent.unwrap();
                    let got = linda.receive(&me.party(), from_ref(&back), Deadline::never());
                    assert_eq!(got, Ok((0, value)));
                    rounds.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert!(rounds.load(Ordering::Relaxed) >= pairs);
}
