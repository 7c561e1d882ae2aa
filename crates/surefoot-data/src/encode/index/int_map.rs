//! A map from integers that is a plain array where integers are dense and a hash map where they are not.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

/// Keys below this one always have a place in the array, which then takes at most half a megabyte.
const ALWAYS_DIRECT: u64 = 1 << 16;

/// Array entries for each key in it: below this density the hash map is smaller.
const SPARSITY: u64 = 8;

/// Integers to values; an absent key has the default value, which is never inserted. Memory is proportional to the number
/// of entries, whatever the keys are.
#[derive(Clone, Debug, Default)]
pub(crate) struct IntMap<V> {
    direct: Vec<V>,
    /// Keys behind the array.
    beyond: HashMap<u64, V, KeyHash>,
}

impl<V: Copy + Default + PartialEq> IntMap<V> {
    /// The value of a key, or the default.
    #[inline]
    pub(crate) fn get(&self, key: u64) -> V {
        if key < self.direct.len() as u64 {
            return self.direct[key as usize];
        }
        if self.beyond.is_empty() {
            return V::default();
        }
        self.beyond.get(&key).copied().unwrap_or_default()
    }

    /// The value of a key that has one, to be changed.
    #[inline]
    pub(crate) fn get_mut(&mut self, key: u64) -> Option<&mut V> {
        if key < self.direct.len() as u64 {
            return Some(&mut self.direct[key as usize]).filter(|value| **value != V::default());
        }
        self.beyond.get_mut(&key)
    }

    /// Gives a value to a key that has none.
    pub(crate) fn insert(&mut self, key: u64, value: V) {
        if key < ALWAYS_DIRECT && key >= self.direct.len() as u64 {
            self.lengthen((key + 1).next_power_of_two());
        }
        if key < self.direct.len() as u64 {
            self.direct[key as usize] = value;
            return;
        }
        self.beyond.insert(key, value);
        // Doublings only, so that the cost of looking again is spread over the insertions.
        let count = self.beyond.len() as u64;
        if count.is_power_of_two() && count >= ALWAYS_DIRECT / SPARSITY {
            self.lengthen(self.dense_length());
        }
    }

    /// The longest array that the density of the keys justifies.
    fn dense_length(&self) -> u64 {
        let mut lengths = [0u64; 65];
        let used = self.direct.iter().filter(|value| **value != V::default()).count() as u64;
        self.beyond.keys().for_each(|key| lengths[(u64::BITS - key.leading_zeros()) as usize] += 1);
        let (mut below, mut best) = (used, self.direct.len() as u64);
        for (bits, &count) in lengths.iter().enumerate().take(40) {
            below += count;
            if count > 0 && below >= (1 << bits) / SPARSITY {
                best = best.max(1 << bits);
            }
        }
        best
    }

    fn lengthen(&mut self, length: u64) {
        if length <= self.direct.len() as u64 {
            return;
        }
        self.direct.resize(length as usize, V::default());
        let direct = &mut self.direct;
        self.beyond.retain(|&key, value| {
            let moves = key < length;
            if moves {
                direct[key as usize] = *value;
            }
            !moves
        });
        self.beyond.shrink_to_fit();
    }
}

/// A fast hasher of one integer for maps in memory. Seeded at random, so that no file can be made to collide; the order
/// of such a map is never seen, so results do not depend on the seed.
#[derive(Clone, Debug)]
pub(crate) struct KeyHash {
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
pub(crate) struct KeyHasher {
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
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_a_map(
            keys in prop::collection::vec(
                prop_oneof![0u64..3000, 65_000u64..66_500, (1u64 << 40)..(1 << 40) + 99, Just(u64::MAX)], 0..400),
        ) {
            let (mut map, mut model) = (IntMap::<u32>::default(), HashMap::new());
            for (at, &key) in keys.iter().enumerate() {
                if map.get(key) == 0 {
                    map.insert(key, at as u32 + 1);
                    model.insert(key, at as u32 + 1);
                }
                if let Some(value) = map.get_mut(key) {
                    *value += 1000;
                    *model.get_mut(&key).unwrap() += 1000;
                }
            }
            for key in keys.into_iter().chain([5, 70_000, 1 << 50]) {
                prop_assert_eq!(map.get(key), model.get(&key).copied().unwrap_or(0));
                prop_assert_eq!(map.get_mut(key).is_some(), model.contains_key(&key));
            }
        }
    }

    #[test]
    fn dense_keys_end_up_in_the_array_and_a_single_large_one_costs_nothing() {
        let mut map = IntMap::<u32>::default();
        map.insert(4_000_000_000, 7);
        assert!(map.direct.is_empty());
        (0..1 << 19).for_each(|key| map.insert(key, key as u32 + 1));
        assert!(map.direct.len() >= 1 << 18 && map.beyond.len() < 1 << 18, "{}", map.direct.len());
        assert!((0..1 << 19).all(|key| map.get(key) == key as u32 + 1) && map.get(4_000_000_000) == 7);
    }
}
