//! Every message is dropped exactly once, on every path, and under no lock.

#![cfg(not(rlanes_loom))]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::scope;
use std::time::Duration;

use common::{LIMITS, Me, Random, long, one_slot};
use linda::{Deadline, Hint, Level, Linda, Restriction};

/// How many messages live.
#[derive(Clone, Default)]
struct Census(Arc<AtomicUsize>);

impl Census {
    fn message(&self, linda: Option<Arc<Linda<u32, Message>>>) -> Message {
        self.0.fetch_add(1, Ordering::SeqCst);
        let census = self.clone();
        Message { census, linda }
    }

    fn messages(&self, count: usize) -> Vec<Message> {
        (0..count).map(|_| self.message(None)).collect()
    }

    fn alive(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

struct Message {
    census: Census,
    /// If there is one, the drop uses it: a deadlock if a lock is held.
    linda: Option<Arc<Linda<u32, Message>>>,
}

impl Clone for Message {
    fn clone(&self) -> Self {
        self.census.message(self.linda.clone())
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        self.census.0.fetch_sub(1, Ordering::SeqCst);
        if let Some(linda) = &self.linda {
            linda.counts();
            linda.wake(Hint::Both);
            let _ = linda.limit(&linda.slot(&1));
        }
    }
}

#[test]
fn what_is_left_is_dropped_with_the_linda() {
    let census = Census::default();
    let (linda, slot) = one_slot(None);
    let me = Me::new();
    linda
        .send(&me.party(), &slot, &mut census.messages(5), long())
        .unwrap();
    linda.set(&linda.slot(&2), census.messages(3)).unwrap();
    assert_eq!(linda.get(&slot, 2).unwrap().len() + linda.dump().len(), 4);
    assert_eq!(census.alive(), 8);
    drop(linda);
    // The slot is still pinned.
    assert_eq!(census.alive(), 5);
    drop(slot);
    assert_eq!(census.alive(), 0);
}

#[test]
fn failure_leaves_the_values_with_the_caller() {
    for limit in LIMITS {
        let census = Census::default();
        let (linda, slot) = one_slot(limit);
        let mut batch = census.messages(3);
        let now = Deadline::now();
        let soon = Deadline::after(Duration::from_millis(1));
        let try_all = |batch: &mut Vec<Message>| {
            for deadline in [now, soon] {
                let me = Me::new();
                if limit.is_some_and(|limit| limit < 3) {
                    linda.send(&me.party(), &slot, batch, deadline).unwrap_err();
                }
                linda.restrict(&slot, Some(Restriction::SetGet)).unwrap();
                linda.send(&me.party(), &slot, batch, deadline).unwrap_err();
                linda.restrict(&slot, Some(Restriction::None)).unwrap();
                linda.cancel(Hint::Both);
                linda.send(&me.party(), &slot, batch, deadline).unwrap_err();
                linda.cancel(Hint::None);
                me.cancel.request(Level::Hard, true);
                linda.send(&me.party(), &slot, batch, deadline).unwrap_err();
            }
        };
        try_all(&mut batch);
        assert_eq!((batch.len(), census.alive()), (3, 3));
    }
}

#[test]
fn refused_and_replaced_values_are_dropped() {
    let census = Census::default();
    let (linda, slot) = one_slot(Some(1));
    linda.set(&slot, census.messages(4)).unwrap();
    linda.set(&slot, census.messages(2)).unwrap();
    assert_eq!(census.alive(), 2);
    linda
        .restrict(&slot, Some(Restriction::SendReceive))
        .unwrap();
    linda.set(&slot, census.messages(3)).unwrap_err();
    linda.cancel(Hint::Both);
    linda.set(&slot, census.messages(3)).unwrap_err();
    assert_eq!(census.alive(), 2);
}

#[test]
fn values_are_dropped_under_no_lock() {
    let census = Census::default();
    let linda = Arc::new(Linda::new());
    let slot = linda.slot(&1);
    let message = || census.message(Some(Arc::clone(&linda)));
    let me = Me::new();
    linda.set(&slot, vec![message(), message()]).unwrap();
    linda.set(&slot, vec![message()]).unwrap();
    linda
        .send(&me.party(), &slot, &mut Some(message()), long())
        .unwrap();
    _ = linda.receive(&me.party(), std::slice::from_ref(&slot), long());
    _ = linda.receive_batched(&me.party(), &slot, 1, 9, long());
    linda.set(&slot, vec![message()]).unwrap();
    linda.set(&slot, vec![]).unwrap();
    assert_eq!(census.alive(), 0);
}

#[test]
fn nothing_leaks_when_everything_races() {
    for limit in LIMITS {
        let census = Census::default();
        let (linda, slot) = one_slot(limit);
        scope(|s| {
            for seed in 0..4 {
                let (linda, slot, census) = (&linda, slot.clone(), &census);
                s.spawn(move || {
                    let mut random = Random::new(seed);
                    for _ in 0..2_000 {
                        let me = Me::new();
                        let deadline = Deadline::after(Duration::from_micros(random.below(30)));
                        match random.below(6) {
                            0 | 1 => {
                                let count = 1 + random.below(3) as usize;
                                let mut batch = census.messages(count);
                                let sent = linda.send(&me.party(), &slot, &mut batch, deadline);
                                assert_eq!(batch.len(), if sent.is_ok() { 0 } else { count });
                            }
                            2 => {
                                let slots = [slot.clone(), linda.slot(&2)];
                                _ = linda.receive(&me.party(), &slots, deadline);
                            }
                            3 => _ = linda.receive_batched(&me.party(), &slot, 2, 3, deadline),
                            4 => _ = linda.get(&slot, 2),
                            _ => {
                                let count = random.below(2) as usize;
                                _ = linda.set(&slot, census.messages(count));
                            }
                        }
                    }
                });
            }
        });
        assert_eq!(census.alive(), linda.count(&1).unwrap_or(0));
        drop((linda, slot));
        assert_eq!(census.alive(), 0);
    }
}
