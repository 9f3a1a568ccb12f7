//! What a linda costs in memory, and that unused slots do not pile up.

#![cfg(not(rlanes_loom))]

mod common;

use std::alloc::System;
use std::sync::Mutex;

use common::Me;
use linda::{Deadline, Linda};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The counts are of the process: one test at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn held(region: &Region<'_, System>) -> usize {
    let change = region.change();
    change
        .bytes_allocated
        .saturating_sub(change.bytes_deallocated)
}

#[test]
fn an_empty_linda_is_small() {
    let _guard = ONE_AT_A_TIME.lock();
    let region = Region::new(ALLOCATOR);
    let linda = Linda::<String, String>::new();
    let size = held(&region) + size_of_val(&linda);
    assert!(size < 1024, "{size} bytes");
}

#[test]
fn a_fresh_key_per_message_leaks_nothing() {
    let _guard = ONE_AT_A_TIME.lock();
    let me = Me::new();
    let linda = Linda::<u32, u32>::new();
    let round = |key| {
        let sent = linda.send(
            &me.party(),
            &linda.slot(&key),
            &mut Some(key),
            Deadline::now(),
        );
        sent.unwrap();
        let got = linda.receive(&me.party(), &[linda.slot(&key)], Deadline::now());
        assert_eq!(got, Ok((0, key)));
    };
    (0..1_000).for_each(round);
    let region = Region::new(ALLOCATOR);
    (1_000..50_000).for_each(round);
    assert!(linda.counts().len() <= 64);
    assert!(held(&region) < 64 * 1024, "{} bytes", held(&region));
}

#[test]
fn slots_in_use_are_kept() {
    let _guard = ONE_AT_A_TIME.lock();
    let linda = Linda::<u32, u32>::new();
    let pinned = linda.slot(&0);
    linda.set(&linda.slot(&1), vec![1]).unwrap();
    linda.set_limit(&linda.slot(&2), Some(0)).unwrap();
    linda
        .restrict(&linda.slot(&3), Some(linda::Restriction::SetGet))
        .unwrap();
    for key in 4..1_000 {
        linda.slot(&key);
    }
    assert_eq!(linda.existing(&0), Some(pinned));
    assert_eq!(
        [1, 2, 3].map(|key| linda.count(&key)),
        [Some(1), Some(0), Some(0)]
    );
    assert_eq!(linda.existing(&4), None);
}

#[test]
fn memory_of_many_slots_comes_back() {
    let _guard = ONE_AT_A_TIME.lock();
    let linda = Linda::<u32, u32>::new();
    let region = Region::new(ALLOCATOR);
    for key in 0..20_000 {
        linda.set(&linda.slot(&key), vec![key]).unwrap();
    }
    for key in 0..20_000 {
        linda.set(&linda.slot(&key), vec![]).unwrap();
    }
    for key in 100_000..200_000 {
        linda.slot(&key);
    }
    assert!(held(&region) < 64 * 1024, "{} bytes", held(&region));
}

#[test]
fn a_large_buffer_is_given_back_when_it_runs_empty() {
    let _guard = ONE_AT_A_TIME.lock();
    let (linda, slot) = common::one_slot::<u64>(None);
    let me = Me::new();
    let region = Region::new(ALLOCATOR);
    let mut batch = vec![0_u64; 100_000];
    linda
        .send(&me.party(), &slot, &mut batch, Deadline::now())
        .unwrap();
    drop(batch);
    while linda
        .receive(&me.party(), std::slice::from_ref(&slot), Deadline::now())
        .is_ok()
    {}
    assert!(held(&region) < 16 * 1024, "{} bytes", held(&region));
}
