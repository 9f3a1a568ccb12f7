//! Random operations of one thread, against a naive model: a linda is a map of
//! vectors.

#![cfg(not(rlanes_loom))]

mod common;

use std::collections::BTreeMap;

use common::Me;
use linda::{
    AccessError, Cause, Change, Deadline, Fill, Hint, Linda, ReceiveError, Restriction, SendError,
    SlotDump, SlotRef, Status,
};
use proptest::prelude::*;

type Key = u8;
type Value = u32;

#[derive(Clone, Debug)]
enum Op {
    Send(Key, Vec<Value>),
    Receive(Vec<Key>),
    Batched(Key, usize, usize),
    Set(Key, Vec<Value>),
    Get(Key, usize),
    SetLimit(Key, Option<usize>),
    Limit(Key),
    Restrict(Key, Option<Restriction>),
    Cancel(Hint),
    Wake(Hint),
}

/// The oracle.
#[derive(Default)]
struct Model {
    slots: BTreeMap<Key, SlotDump<Value>>,
    cancelled: bool,
}

impl Model {
    fn slot(&mut self, key: Key) -> &mut SlotDump<Value> {
        self.slots.entry(key).or_insert(FRESH)
    }

    fn look(&self, key: Key) -> SlotDump<Value> {
        self.slots.get(&key).cloned().unwrap_or(FRESH)
    }

    fn send(&mut self, key: Key, values: &[Value]) -> Result<(), SendError> {
        let slot = self.look(key);
        let room = slot
            .limit
            .map(|limit| limit.saturating_sub(slot.values.len()));
        match room {
            _ if values.is_empty() => return Err(SendError::Empty),
            _ if self.cancelled => return Err(SendError::Cancelled(Cause::Linda)),
            _ if slot.restriction == Restriction::SetGet => return Err(SendError::Restricted),
            Some(room) if room < values.len() => return Err(SendError::Timeout),
            _ => self.slot(key).values.extend(values),
        }
        Ok(())
    }

    fn receive(&mut self, keys: &[Key]) -> Result<(usize, Value), ReceiveError> {
        if self.cancelled {
            return Err(ReceiveError::Cancelled(Cause::Linda));
        }
        for (index, &key) in keys.iter().enumerate() {
            let slot = self.look(key);
            if slot.restriction == Restriction::SetGet {
                return Err(ReceiveError::Restricted);
            }
            if !slot.values.is_empty() {
                return Ok((index, self.take(key, 1)[0]));
            }
        }
        Err(ReceiveError::Timeout)
    }

    fn batched(&mut self, key: Key, min: usize, max: usize) -> Result<Vec<Value>, ReceiveError> {
        let slot = self.look(key);
        match slot.values.len() {
            _ if self.cancelled => Err(ReceiveError::Cancelled(Cause::Linda)),
            _ if slot.restriction == Restriction::SetGet => Err(ReceiveError::Restricted),
            len if len < min.max(1) => Err(ReceiveError::Timeout),
            len => Ok(self.take(key, len.min(max.max(min).max(1)))),
        }
    }

    fn take(&mut self, key: Key, count: usize) -> Vec<Value> {
        let slot = self.slot(key);
        let taken = slot.values.drain(..count).collect();
        slot.first = if slot.values.is_empty() {
            1
        } else {
            slot.first + count as u64
        };
        taken
    }

    fn set(&mut self, key: Key, values: Vec<Value>) -> Result<Change, AccessError> {
        self.check()?;
        let before = self.look(key);
        if before.restriction == Restriction::SendReceive {
            return Err(AccessError::Restricted);
        }
        let after = SlotDump {
            first: 1,
            values,
            ..before.clone()
        };
        let change = change(&before, &after);
        if after == FRESH {
            self.slots.remove(&key);
        } else {
            self.slots.insert(key, after);
        }
        Ok(change)
    }

    fn get(&self, key: Key, count: usize) -> Result<Vec<Value>, AccessError> {
        self.check()?;
        let slot = self.look(key);
        if slot.restriction == Restriction::SendReceive {
            return Err(AccessError::Restricted);
        }
        Ok(slot.values.into_iter().take(count).collect())
    }

    fn set_limit(&mut self, key: Key, limit: Option<usize>) -> Result<Change, AccessError> {
        self.check()?;
        let before = self.look(key);
        self.slot(key).limit = limit;
        Ok(change(&before, &self.look(key)))
    }

    fn limit(&self, key: Key) -> Result<(Option<usize>, Fill), AccessError> {
        self.check()?;
        Ok((self.look(key).limit, fill(&self.look(key))))
    }

    fn restrict(
        &mut self,
        key: Key,
        restriction: Option<Restriction>,
    ) -> Result<Restriction, AccessError> {
        self.check()?;
        match restriction {
            Some(new) => Ok(std::mem::replace(&mut self.slot(key).restriction, new)),
            None => Ok(self.look(key).restriction),
        }
    }

    fn check(&self) -> Result<(), AccessError> {
        if self.cancelled {
            Err(AccessError::Cancelled)
        } else {
            Ok(())
        }
    }
}

const FRESH: SlotDump<Value> = SlotDump {
    first: 1,
    limit: None,
    restriction: Restriction::None,
    values: Vec::new(),
};

fn fill(slot: &SlotDump<Value>) -> Fill {
    match slot.limit.map(|limit| slot.values.len().cmp(&limit)) {
        None | Some(std::cmp::Ordering::Less) => Fill::Under,
        Some(std::cmp::Ordering::Equal) => Fill::Exact,
        Some(std::cmp::Ordering::Greater) => Fill::Over,
    }
}

fn change(before: &SlotDump<Value>, after: &SlotDump<Value>) -> Change {
    let woke = fill(before) != Fill::Under && fill(after) == Fill::Under;
    Change {
        woke,
        fill: fill(after),
    }
}

/// The only part of the test that touches the interface.
fn check(ops: &[Op]) {
    let me = Me::new();
    let linda = Linda::<Key, Value>::new();
    let mut model = Model::default();
    let slot = |key: &Key| linda.slot(key);
    let now = Deadline::now();
    for op in ops {
        match op.clone() {
            Op::Send(key, values) => {
                let mut batch = values.clone();
                let outcome = linda.send(&me.party(), &slot(&key), &mut batch, now);
                assert_eq!(outcome, model.send(key, &values), "{op:?}");
                assert_eq!(batch, if outcome.is_ok() { vec![] } else { values });
            }
            Op::Receive(keys) => {
                let slots: Vec<SlotRef<_, _>> = keys.iter().map(slot).collect();
                let outcome = linda.receive(&me.party(), &slots, now);
                assert_eq!(outcome, model.receive(&keys), "{op:?}");
            }
            Op::Batched(key, min, max) => {
                let outcome = linda.receive_batched(&me.party(), &slot(&key), min, max, now);
                assert_eq!(outcome, model.batched(key, min, max), "{op:?}");
            }
            Op::Set(key, values) => {
                let outcome = linda.set(&slot(&key), values.clone());
                assert_eq!(outcome, model.set(key, values), "{op:?}");
            }
            Op::Get(key, count) => {
                assert_eq!(
                    linda.get(&slot(&key), count),
                    model.get(key, count),
                    "{op:?}"
                );
            }
            Op::SetLimit(key, limit) => {
                let outcome = linda.set_limit(&slot(&key), limit);
                assert_eq!(outcome, model.set_limit(key, limit), "{op:?}");
            }
            Op::Limit(key) => {
                assert_eq!(linda.limit(&slot(&key)), model.limit(key), "{op:?}");
            }
            Op::Restrict(key, restriction) => {
                let outcome = linda.restrict(&slot(&key), restriction);
                assert_eq!(outcome, model.restrict(key, restriction), "{op:?}");
            }
            Op::Cancel(hint) => {
                linda.cancel(hint);
                model.cancelled = hint != Hint::None;
                assert_eq!(linda.status() == Status::Cancelled, model.cancelled);
            }
            Op::Wake(hint) => linda.wake(hint),
        }
        let dump: BTreeMap<_, _> = linda.dump().into_iter().collect();
        assert_eq!(dump, model.slots, "after {op:?}");
        let counts: BTreeMap<_, _> = linda.counts().into_iter().collect();
        assert!(
            model
                .slots
                .iter()
                .map(|(key, slot)| (*key, slot.values.len()))
                .eq(counts)
        );
        for key in KEYS {
            let count = model.slots.get(&key).map(|slot| slot.values.len());
            assert_eq!(linda.count(&key), count);
        }
    }
}

const KEYS: std::ops::Range<Key> = 0..3;

fn op() -> impl Strategy<Value = Op> {
    let values = || prop::collection::vec(any::<Value>(), 0..4);
    let limit = || prop::option::of(0..5_usize);
    let restriction = || {
        prop::option::of(prop::sample::select(vec![
            Restriction::None,
            Restriction::None,
            Restriction::SendReceive,
            Restriction::SetGet,
        ]))
    };
    let hint = || prop::sample::select(vec![Hint::None, Hint::Read, Hint::Write, Hint::Both]);
    prop_oneof![
        6 => (KEYS, values()).prop_map(|(key, values)| Op::Send(key, values)),
        6 => prop::collection::vec(KEYS, 0..4).prop_map(Op::Receive),
        3 => (KEYS, 0..4_usize, 0..5_usize).prop_map(|(key, min, max)| Op::Batched(key, min, max)),
        3 => (KEYS, values()).prop_map(|(key, values)| Op::Set(key, values)),
        2 => (KEYS, 0..4_usize).prop_map(|(key, count)| Op::Get(key, count)),
        2 => (KEYS, limit()).prop_map(|(key, limit)| Op::SetLimit(key, limit)),
        1 => KEYS.prop_map(Op::Limit),
        2 => (KEYS, restriction()).prop_map(|(key, new)| Op::Restrict(key, new)),
        1 => hint().prop_map(Op::Cancel),
        1 => Just(Op::Cancel(Hint::None)),
        1 => hint().prop_map(Op::Wake),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn like_a_map_of_vectors(ops in prop::collection::vec(op(), 0..60)) {
        check(&ops);
    }
}
