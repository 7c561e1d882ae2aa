//! A map from keys to indices for lookups that come by the thousand.
//!
//! A table of a hundred thousand names is larger than the caches, and nearly all of the time of a lookup is waiting for
//! memory. Here key and index lie side by side, so that a lookup touches one line of it, and keys that are looked up
//! together have their lines asked for together. `HashMap` does neither: reading IMDB took 13 % longer with it.

use std::hash::{BuildHasher, Hasher};

use surefoot_core::prefetch;

use super::UNKNOWN;
use super::remap::KeyHash;

/// Keys whose memory is asked for before the first of them is looked up: about as many lines as a core waits for at once.
const TOGETHER: usize = 16;

/// Slots of the smallest table.
const SMALLEST: usize = 64;

/// A key in two halves, so that no padding follows the index.
#[derive(Clone, Copy, Debug)]
struct Slot {
    high: u32,
    low: u32,
    /// [`UNKNOWN`] if the slot is empty.
    index: u32,
}

impl Slot {
    const EMPTY: Slot = Slot { high: 0, low: 0, index: UNKNOWN };

    fn new(key: u64, index: u32) -> Self {
        Slot { high: (key >> 32) as u32, low: key as u32, index }
    }

    #[inline]
    fn key(self) -> u64 {
        u64::from(self.high) << 32 | u64::from(self.low)
    }
}

/// Keys and their indices, open addressing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots {
    /// None, or a power of two of them.
    slots: Vec<Slot>,
    count: usize,
    hash: KeyHash,
}

impl Slots {
    /// The index of a key, if it has one.
    #[inline]
    pub(crate) fn find(&self, key: u64) -> Option<u32> {
        let index = self.slots.get(self.place_of(key, self.start(key)))?.index;
        (index != UNKNOWN).then_some(index)
    }

    /// Appends the index of every key, [`UNKNOWN`] if it has none.
    pub(crate) fn find_all(&self, keys: &[u64], indices: &mut Vec<u32>) {
        if self.slots.is_empty() {
            return indices.resize(indices.len() + keys.len(), UNKNOWN);
        }
        let mut starts = [0; TOGETHER];
        for keys in keys.chunks(TOGETHER) {
            for (start, &key) in starts.iter_mut().zip(keys) {
                *start = self.start(key);
                prefetch::rows(&self.slots, *start, 1);
            }
            let places = keys.iter().zip(starts).map(|(&key, start)| self.place_of(key, start));
            indices.extend(places.map(|place| self.slots[place].index));
        }
    }

    /// Gives an index to a key; false if it has one already.
    pub(crate) fn insert(&mut self, key: u64, index: u32) -> bool {
        // At five eighths a key that is there is found at the second slot, and one that is not is missed at the fourth.
        if 8 * (self.count + 1) > 5 * self.slots.len() {
            self.grow();
        }
        let place = self.place_of(key, self.start(key));
        let free = self.slots[place].index == UNKNOWN;
        if free {
            self.slots[place] = Slot::new(key, index);
            self.count += 1;
        }
        free
    }

    /// Where the search for a key begins.
    #[inline]
    fn start(&self, key: u64) -> usize {
        let mut hasher = self.hash.build_hasher();
        hasher.write_u64(key);
        hasher.finish() as usize & self.slots.len().wrapping_sub(1)
    }

    /// Where a key is, or the empty slot that it could have. There always is one.
    #[inline]
    fn place_of(&self, key: u64, start: usize) -> usize {
        let mut place = start;
        while self.slots.get(place).is_some_and(|slot| slot.index != UNKNOWN && slot.key() != key) {
            place = (place + 1) & (self.slots.len() - 1);
        }
        place
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![Slot::EMPTY; (2 * self.slots.len()).max(SMALLEST)];
        for slot in std::mem::replace(&mut self.slots, larger).into_iter().filter(|s| s.index != UNKNOWN) {
            let place = self.place_of(slot.key(), self.start(slot.key()));
            self.slots[place] = slot;
        }
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
