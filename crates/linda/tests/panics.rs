//! Values whose code panics: no lock is held after it, the other values are
//! there exactly once, counts are right, and who waits is served.

mod common;

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::scope;
use std::time::{Duration, Instant};

use common::{LIMITS, Me, long, one_slot};
use linda::{Batch, Deadline, Linda, SlotRef};

/// Numbers the values, counts those that are alive, and may make one panic.
#[derive(Clone, Default)]
struct Plan(Arc<Counts>);

#[derive(Default)]
struct Counts {
    alive: AtomicUsize,
    /// Which value panics when it is cloned; 0 for none.
    clone: AtomicUsize,
    /// Which value panics when it is dropped; 0 for none.
    drop: AtomicUsize,
}

struct Value {
    number: usize,
    plan: Plan,
}

impl Plan {
    fn value(&self, number: usize) -> Value {
        self.0.alive.fetch_add(1, Ordering::SeqCst);
        let plan = self.clone();
        Value { number, plan }
    }

    fn values(&self, numbers: impl IntoIterator<Item = usize>) -> Vec<Value> {
        numbers.into_iter().map(|n| self.value(n)).collect()
    }

    fn alive(&self) -> usize {
        self.0.alive.load(Ordering::SeqCst)
    }
}

impl Clone for Value {
    fn clone(&self) -> Self {
        assert_ne!(
            self.plan.0.clone.load(Ordering::SeqCst),
            self.number,
            "wanted"
        );
        self.plan.value(self.number)
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        self.plan.0.alive.fetch_sub(1, Ordering::SeqCst);
        let bad = &self.plan.0.drop;
        if bad
            .compare_exchange(self.number, 0, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
        {
            panic!("wanted");
        }
    }
}

/// A batch that panics once it has moved so many.
struct Breaking(Vec<Value>, usize);

impl Batch<Value> for Breaking {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn drain_into(&mut self, queue: &mut VecDeque<Value>) {
        queue.extend(self.0.drain(..self.1));
        panic!("wanted");
    }
}

fn panics<R>(act: impl FnOnce() -> R) {
    let result = catch_unwind(AssertUnwindSafe(|| drop(act())));
    assert!(result.is_err(), "no panic");
}

/// The slot holds exactly these; then it serves both sides, also those that
/// sleep. It must be one without a limit, or with room for one value.
fn check(linda: &Linda<u32, Value>, slot: &SlotRef<u32, Value>, plan: &Plan, values: &[usize]) {
    let me = Me::new();
    let numbers = |values: &[Value]| values.iter().map(|v| v.number).collect::<Vec<_>>();
    // What is listed is counted.
    assert_eq!(linda.count(&1).unwrap_or(0), values.len());
    assert_eq!(numbers(&linda.get(slot, usize::MAX).unwrap()), values);
    assert_eq!(
        linda
            .dump()
            .iter()
            .map(|(_, dump)| dump.values.len())
            .sum::<usize>(),
        values.len()
    );
    for number in values {
        let got = linda.receive(&me.party(), std::slice::from_ref(slot), Deadline::now());
        assert_eq!(got.unwrap().1.number, *number);
    }
    assert_eq!(plan.alive(), 0);
    // One that sleeps is woken by what is sent later.
    let sleeper = Me::new();
    scope(|s| {
        s.spawn(|| {
            let me = Me::new();
            sleeper.wait_until_asleep();
            let limit = linda.limit(slot).unwrap().0;
            linda.set_limit(slot, None).unwrap();
            linda
                .send(&me.party(), slot, &mut Some(plan.value(77)), long())
                .unwrap();
            linda.set_limit(slot, limit).unwrap();
        });
        let got = linda.receive(&sleeper.party(), std::slice::from_ref(slot), long());
        assert_eq!(got.unwrap().1.number, 77);
    });
    assert_eq!(linda.count(&1), Some(0));
    assert_eq!(plan.alive(), 0);
}

/// A slot with the values 1 to 4: two at its front, two at its back.
fn filled(limit: Option<usize>) -> (Plan, Linda<u32, Value>, SlotRef<u32, Value>) {
    let plan = Plan::default();
    let (linda, slot) = one_slot(limit);
    linda.set(&slot, plan.values([1, 2])).unwrap();
    linda.set_limit(&slot, None).unwrap();
    let me = Me::new();
    linda
        .send(&me.party(), &slot, &mut plan.values([3, 4]), long())
        .unwrap();
    linda.set_limit(&slot, limit).unwrap();
    (plan, linda, slot)
}

#[test]
fn a_clone_that_panics() {
    for limit in LIMITS {
        for bad in 1..=4 {
            let (plan, linda, slot) = filled(limit);
            plan.0.clone.store(bad, Ordering::SeqCst);
            panics(|| linda.get(&slot, 4));
            assert_eq!(plan.alive(), 4);
            panics(|| linda.dump());
            assert_eq!(plan.alive(), 4);
            plan.0.clone.store(0, Ordering::SeqCst);
            check(&linda, &slot, &plan, &[1, 2, 3, 4]);
        }
    }
}

#[test]
fn a_drop_that_panics() {
    for limit in LIMITS {
        for bad in 1..=4 {
            // Of what is replaced: all of it goes, and the new is there.
            let (plan, linda, slot) = filled(limit);
            plan.0.drop.store(bad, Ordering::SeqCst);
            panics(|| linda.set(&slot, plan.values([5])));
            assert_eq!(plan.alive(), 1);
            check(&linda, &slot, &plan, &[5]);

            // Of what is cleared.
            let (plan, linda, slot) = filled(limit);
            plan.0.drop.store(bad, Ordering::SeqCst);
            panics(|| linda.set(&slot, vec![]));
            check(&linda, &slot, &plan, &[]);

            // Of what was received: it is the caller's.
            let (plan, linda, slot) = filled(limit);
            let me = Me::new();
            plan.0.drop.store(bad, Ordering::SeqCst);
            panics(|| linda.receive_batched(&me.party(), &slot, 4, 4, long()));
            check(&linda, &slot, &plan, &[]);

            // Of what is left when the linda goes.
            let (plan, linda, slot) = filled(limit);
            plan.0.drop.store(bad, Ordering::SeqCst);
            drop(slot);
            panics(|| drop(linda));
            assert_eq!(plan.alive(), 0);
        }
        // Of what `exchange` has taken out.
        let (plan, linda, slot) = filled(limit);
        plan.0.drop.store(1, Ordering::SeqCst);
        panics(|| linda.exchange(&slot, |_| true, plan.value(5)));
        check(&linda, &slot, &plan, &[5, 2, 3, 4]);
    }
}

#[test]
fn a_comparison_that_panics() {
    let (plan, linda, slot) = filled(None);
    panics(|| {
        linda.exchange(
            &slot,
            |_: &Value| -> bool { panic!("wanted") },
            plan.value(5),
        )
    });
    check(&linda, &slot, &plan, &[1, 2, 3, 4]);
}

#[test]
fn a_batch_that_panics() {
    for limit in [None, Some(5)] {
        for moved in 0..=3 {
            let plan = Plan::default();
            let (linda, slot) = one_slot(limit);
            let me = Me::new();
            let mut batch = Breaking(plan.values([1, 2, 3]), moved);
            panics(|| linda.send(&me.party(), &slot, &mut batch, long()));
            assert_eq!(batch.len(), 3 - moved);
            drop(batch);
            // What was moved is sent, and room is what is left of the limit.
            assert_eq!(linda.count(&1), Some(moved));
            if let Some(limit) = limit {
                let mut rest = plan.values(10..10 + limit - moved);
                linda
                    .send(&me.party(), &slot, &mut rest, Deadline::now())
                    .unwrap();
                let mut more = Some(plan.value(9));
                linda
                    .send(&me.party(), &slot, &mut more, Deadline::now())
                    .unwrap_err();
                drop(more);
                let left = limit - moved;
                let values: Vec<usize> = (1..=moved).chain(10..10 + left).collect();
                check(&linda, &slot, &plan, &values);
            } else {
                check(&linda, &slot, &plan, &(1..=moved).collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn a_batch_that_panics_serves_those_who_sleep() {
    for moved in 0..=3 {
        let plan = Plan::default();
        let (linda, slot) = one_slot::<Value>(None);
        let (linda, slot) = (&linda, &slot);
        let sleepers: [Me; 3] = std::array::from_fn(|_| Me::new());
        let sleepers = &sleepers;
        scope(|s| {
            let received: Vec<_> = sleepers
                .iter()
                .map(|me| {
                    s.spawn(move || {
                        let got = linda.receive(&me.party(), std::slice::from_ref(slot), long());
                        got.unwrap().1.number
                    })
                })
                .collect();
            sleepers.iter().for_each(Me::wait_until_asleep);
            let me = Me::new();
            let mut batch = Breaking(plan.values([1, 2, 3]), moved);
            panics(|| linda.send(&me.party(), slot, &mut batch, long()));
            // Each value has its receiver before anything else is sent.
            let end = Instant::now() + Duration::from_secs(10);
            while linda.count(&1) != Some(0) {
                assert!(
                    Instant::now() < end,
                    "values are there and nobody takes them"
                );
                std::thread::yield_now();
            }
            linda
                .send(&me.party(), slot, &mut batch.0, long())
                .or_else(|error| if moved == 3 { Ok(()) } else { Err(error) })
                .unwrap();
            let mut numbers: Vec<usize> = received.into_iter().map(|t| t.join().unwrap()).collect();
            numbers.sort_unstable();
            assert_eq!(numbers, [1, 2, 3]);
        });
        check(linda, slot, &plan, &[]);
    }
}
