//! A map from keys to indices for lookups that come by the thousand.
//!
//! A table of a hundred thousand names is larger than the caches, and nearly all of the time of a lookup is waiting for
//! memory. Here key and index lie side by side, so that a lookup touches one line of it, and keys that are looked up
//! together have their lines asked for together. `HashMap` does neither: reading IMDB took 13 % longer with it.

use std::hash::{BuildHasher, Hasher, RandomState};

use surefoot_core::prefetch;

use super::UNKNOWN;

/// Keys whose memory is asked for before the first of them is looked up: about as many lines as a core waits for at once.
const TOGETHER: usize = 16;

/// Slots of the smallest table.
const SMALLEST: usize = 64;

/// A key and its index, never across two lines.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(16))]
struct Slot {
    key: u64,
    /// Index + 1, or 0 in an empty slot.
    place: u32,
}

/// Keys and their indices, open addressing.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    /// A power of two of them, or none at all.
    slots: Vec<Slot>,
    hash: KeyHash,
    count: usize,
}

impl Slots {
    /// The index of a key, if it has one.
    #[inline]
    pub(super) fn find(&self, key: u64) -> Option<u32> {
        if self.count == 0 {
            return None;
        }
        self.search(key, self.start(key)).1.checked_sub(1)
    }

    /// Appends the index of every key, [`UNKNOWN`] if it has none.
    pub(super) fn find_all(&self, keys: &[u64], indices: &mut Vec<u32>) {
        if self.count == 0 {
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

    /// Gives an index to a key; false if it has one already.
    pub(super) fn insert(&mut self, key: u64, index: u32) -> bool {
        // At five eighths a key that is there is found at the second slot, and one that is not is missed at the fourth.
        if 8 * (self.count + 1) > 5 * self.slots.len() {
            self.grow();
        }
        let (at, place) = self.search(key, self.start(key));
        if place == 0 {
            self.slots[at] = Slot { key, place: index + 1 };
            self.count += 1;
        }
        place == 0
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
            match self.slots[at] {
                Slot { place: 0, .. } => return (at, 0),
                slot if slot.key == key => return (at, slot.place),
                _ => at = (at + 1) & (self.slots.len() - 1),
            }
        }
    }

    #[cold]
    fn grow(&mut self) {
        let length = (2 * self.slots.len()).max(SMALLEST);
        let smaller = std::mem::replace(&mut self.slots, vec![Slot::default(); length]);
        for slot in smaller.into_iter().filter(|slot| slot.place != 0) {
            let (at, _) = self.search(slot.key, self.start(slot.key));
            self.slots[at] = slot;
        }
    }
}

/// A fast hasher of one integer for maps in memory. Seeded at random, so that no file can be made to collide; the order
/// of such a map is never seen, so results do not depend on the seed.
#[derive(Clone, Debug)]
pub(super) struct KeyHash {
    seed: u64,
}

impl Default for KeyHash {
    fn default() -> Self {
        KeyHash { seed: RandomState::new().hash_one(0u64) }
    }
}

impl BuildHasher for KeyHash {
    type Hasher = KeyHasher;

    fn build_hasher(&self) -> KeyHasher {
        KeyHasher { state: self.seed }
    }
}

/// See [`KeyHash`].
pub(super) struct KeyHasher {
    state: u64,
}

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.state
    }

    #[inline]
    fn write_u64(&mut self, key: u64) {
        // The folded product mixes high bits down and low bits up; the constant is 2^64 over the golden ratio.
        let product = u128::from(key ^ self.state) * 0x9e37_79b9_7f4a_7c15;
        self.state = (product >> 64) as u64 ^ product as u64;
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
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
    fn a_key_and_its_index_never_lie_across_two_lines() {
        assert_eq!((size_of::<Slot>(), align_of::<Slot>()), (16, 16));
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
