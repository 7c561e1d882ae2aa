//! A map from keys to indices for lookups that come by the thousand, which parse workers read while it grows.
//!
//! A table of a hundred thousand names is larger than the caches, and nearly all of the time of a lookup is waiting for
//! memory. Here key and index lie side by side, so that a lookup touches one line of it, and keys that are looked up
//! together have their lines asked for together. `HashMap` does neither: reading IMDB took 13 % longer with it.
//!
//! A slot changes once, from nothing to a key and its index. The index is written last and read first, so whoever sees
//! it sees its key too; what a reader does not see yet the consumer looks up again.

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use surefoot_core::prefetch;

use super::UNKNOWN;
use super::directory::{Directory, Posted};
use super::remap::KeyHash;

/// Keys whose memory is asked for before the first of them is looked up: about as many lines as a core waits for at once.
const TOGETHER: usize = 16;

/// Slots of the smallest table.
const SMALLEST: usize = 64;

/// A key and its index, never across two lines.
#[derive(Debug, Default)]
#[repr(align(16))]
struct Slot {
    key: AtomicU64,
    /// Index + 1, or 0 in an empty slot.
    place: AtomicU32,
}

impl Slot {
    /// Index + 1 and the key, or none if the slot is empty.
    #[inline]
    fn read(&self) -> Option<(u32, u64)> {
        let place = self.place.load(Ordering::Acquire);
        (place != 0).then(|| (place, self.key.load(Ordering::Relaxed)))
    }

    fn write(&self, key: u64, place: u32) {
        self.key.store(key, Ordering::Relaxed);
        self.place.store(place, Ordering::Release);
    }
}

/// Slots of one size, a power of two or none at all. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlotTable {
    slots: Arc<[Slot]>,
    hash: KeyHash,
}

impl SlotTable {
    fn of(length: usize, hash: KeyHash) -> Self {
        SlotTable { slots: (0..length).map(|_| Slot::default()).collect(), hash }
    }

    /// Appends the index of every key, [`UNKNOWN`] if it has none.
    pub(super) fn find_all(&self, keys: &[u64], indices: &mut Vec<u32>) {
        if self.slots.is_empty() {
            return indices.resize(indices.len() + keys.len(), UNKNOWN);
        }
        let mut starts = [0; TOGETHER];
        for keys in keys.chunks(TOGETHER) {
            for (start, &key) in starts.iter_mut().zip(keys) {
                *start = self.start(key);
                prefetch::rows(&self.slots, *start, 1);
            }
            // An absent key has the place 0, which becomes `u32::MAX`.
            indices.extend(keys.iter().zip(starts).map(|(&key, at)| self.search(key, at).1.wrapping_sub(1)));
        }
    }

    /// Where the search for a key begins.
    #[inline]
    fn start(&self, key: u64) -> usize {
        let mut hasher = self.hash.build_hasher();
        hasher.write_u64(key);
        hasher.finish() as usize & self.slots.len().wrapping_sub(1)
    }

    /// The slot of a key and its index + 1, or the empty slot that it could have and 0. There always is one.
    #[inline]
    fn search(&self, key: u64, mut at: usize) -> (usize, u32) {
        loop {
            match self.slots[at].read() {
                None => return (at, 0),
                Some((place, found)) if found == key => return (at, place),
                Some(_) => at = (at + 1) & (self.slots.len() - 1),
            }
        }
    }
}

/// Keys and their indices, open addressing.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    table: SlotTable,
    /// The same table for whoever may look but not write.
    posted: Arc<Directory>,
    count: usize,
}

impl Slots {
    /// The index of a key, if it has one.
    #[inline]
    pub(crate) fn find(&self, key: u64) -> Option<u32> {
        if self.count == 0 {
            return None;
        }
        self.table.search(key, self.table.start(key)).1.checked_sub(1)
    }

    /// Appends the index of every key, [`UNKNOWN`] if it has none.
    pub(crate) fn find_all(&self, keys: &[u64], indices: &mut Vec<u32>) {
        self.table.find_all(keys, indices);
    }

    /// What others may look into while this map grows.
    pub(crate) fn directory(&self) -> Arc<Directory> {
        self.posted.clone()
    }

    /// Gives an index to a key; false if it has one already.
    pub(crate) fn insert(&mut self, key: u64, index: u32) -> bool {
        // At five eighths a key that is there is found at the second slot, and one that is not is missed at the fourth.
        if 8 * (self.count + 1) > 5 * self.table.slots.len() {
            self.grow();
        }
        let (at, place) = self.table.search(key, self.table.start(key));
        if place == 0 {
            self.table.slots[at].write(key, index + 1);
            self.count += 1;
        }
        place == 0
    }

    #[cold]
    fn grow(&mut self) {
        let length = (2 * self.table.slots.len()).max(SMALLEST);
        let larger = SlotTable::of(length, self.table.hash.clone());
        for (place, key) in self.table.slots.iter().filter_map(Slot::read) {
            larger.slots[larger.search(key, larger.start(key)).0].write(key, place);
        }
        self.posted.post(Posted::Names(larger.clone()));
        self.table = larger;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_empty_table_knows_nothing() {
        let (slots, mut indices) = (Slots::default(), vec![7]);
        assert_eq!(slots.find(0), None);
        slots.find_all(&[0, 1], &mut indices);
        assert_eq!(indices, [7, UNKNOWN, UNKNOWN]);
    }

    #[test]
    fn readers_see_nothing_or_the_index_while_the_table_grows() {
        let key = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let (mut slots, last) = (Slots::default(), 1 << 12);
        let directory = slots.directory();
        let looking = std::thread::spawn(move || {
            let (keys, mut indices): (Vec<u64>, _) = ((0..=last).map(key).collect(), Vec::new());
            while indices.last() != Some(&(last as u32)) {
                indices.clear();
                directory.newest().find_all(&keys, &mut indices);
                let right = |(n, &index): (usize, &u32)| index == UNKNOWN || index == n as u32;
                assert!(indices.iter().enumerate().all(right));
            }
        });
        (0..=last).for_each(|n| assert!(slots.insert(key(n), n as u32)));
        looking.join().unwrap();
        assert!((0..=last).all(|n| slots.find(key(n)) == Some(n as u32)));
    }

    proptest! {
        #[test]
        fn it_is_a_map(keys in prop::collection::vec(0u64..500, 0..600), asked in prop::collection::vec(0u64..700, 0..60)) {
            // Keys that differ in the high half alone, in the low half alone, and the extremes.
            let key = |k: u64| match k % 3 { 0 => k << 40, 1 => k, _ => u64::MAX - k };
            let (mut slots, mut map) = (Slots::default(), HashMap::new());
            for (index, key) in keys.into_iter().map(key).enumerate() {
                let fresh = !map.contains_key(&key);
                prop_assert_eq!(slots.insert(key, index as u32), fresh);
                map.entry(key).or_insert(index as u32);
            }
            let asked: Vec<u64> = asked.into_iter().map(key).collect();
            let mut found = Vec::new();
            slots.find_all(&asked, &mut found);
            for (key, index) in asked.iter().zip(found) {
                prop_assert_eq!(index, map.get(key).copied().unwrap_or(UNKNOWN));
                prop_assert_eq!(slots.find(*key), map.get(key).copied());
            }
        }
    }
}
