//! [`Slots`]: which key has which slot, and what becomes of the unused ones.
//!
//! Invariants:
//!
//! 1. Under the lock of a shard no slot is locked and no key or slot is
//!    dropped. (So there is no order of locks to keep: one at a time.)
//! 2. A slot leaves the map only if nobody but the map refers to it.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use dashmap::DashMap;
use parking_lot::Mutex;
use rustc_hash::FxBuildHasher;

use crate::slot::Slot;

/// The fewest that the map allows: a linda is a small object.
const SHARDS: usize = 2;

/// Up to this many slots are kept without asking whether they are used.
const FIRST_SWEEP: usize = 64;

/// The slots of one linda.
pub(crate) struct Slots<K, M> {
    map: DashMap<K, Arc<Slot<M>>, FxBuildHasher>,
    /// How many slots there must be for the next sweep. Locked while one runs.
    sweep_at: Mutex<usize>,
}

impl<K: Eq + Hash + Clone, M> Slots<K, M> {
    pub(crate) fn new() -> Self {
        Self {
            map: DashMap::with_hasher_and_shard_amount(FxBuildHasher, SHARDS),
            sweep_at: Mutex::new(FIRST_SWEEP),
        }
    }

    pub(crate) fn get(&self, key: &K) -> Option<Arc<Slot<M>>> {
        self.map.get(key).map(|entry| Arc::clone(entry.value()))
    }

    pub(crate) fn get_or_insert(&self, key: &K) -> Arc<Slot<M>> {
        if let Some(slot) = self.get(key) {
            return slot;
        }
        // Made before the lock is taken, and sweeping comes first, so that the
        // new slot is not in its own way.
        let fresh = Arc::new(Slot::new());
        self.sweep_if_due();
        Arc::clone(self.map.entry(key.clone()).or_insert(fresh).value())
    }

    /// All slots with their keys.
    pub(crate) fn all(&self) -> Vec<(K, Arc<Slot<M>>)> {
        self.map
            .iter()
            .map(|entry| (entry.key().clone(), Arc::clone(entry.value())))
            .collect()
    }

    /// Removes the slots that are idle and that nobody refers to, if there are
    /// many slots. The bar is then raised to twice what is left: the cost of a
    /// sweep is spread over at least half as many insertions.
    fn sweep_if_due(&self) {
        let Some(mut sweep_at) = self.sweep_at.try_lock() else {
            return;
        };
        if self.map.len() < *sweep_at {
            return;
        }
        let keys: Vec<K> = self.map.iter().map(|entry| entry.key().clone()).collect();
        for key in keys {
            // `get_mut` succeeds if only the map refers to the slot (invariant
            // 2); nobody gets at the map meanwhile, because the shard is locked.
            // What is removed is dropped after the lock is gone (invariant 1).
            let _removed = self.map.remove_if_mut(&key, |_, slot| {
                Arc::get_mut(slot).is_some_and(Slot::is_idle)
            });
        }
        let left = self.map.len();
        if self.map.capacity() / 8 > left.max(FIRST_SWEEP) {
            self.map.shrink_to_fit();
        }
        *sweep_at = FIRST_SWEEP.max(2 * left);
    }
}

impl<K: Eq + Hash, M> fmt::Debug for Slots<K, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slots")
            .field("len", &self.map.len())
            .finish_non_exhaustive()
    }
}
