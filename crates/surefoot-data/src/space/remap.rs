//! A map from integers to indices that is a plain array where integers are dense and a hash map where they are not.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use super::UNKNOWN;
use super::directory::{Directory, Posted, Run, Table};

/// Array entries for each id in it: below this density the hash map is smaller.
const SPARSITY: usize = 8;

/// The array is not worth its trouble below this length.
const SHORTEST: usize = 1 << 16;

/// Integers to indices. Memory is proportional to the number of entries, whatever the integers are.
#[derive(Debug, Default)]
pub(crate) struct Remap {
    /// The small ids.
    direct: Table,
    /// The same table for whoever may look but not write.
    posted: Arc<Directory>,
    /// Ids from `direct.len()` on.
    beyond: HashMap<u64, u32, KeyHash>,
    /// How many ids have each length in bits: where the ids are dense.
    lengths: Vec<usize>,
    count: usize,
}

impl Remap {
    /// The index of an id behind the run, if it has one.
    #[inline]
    pub(crate) fn find(&self, id: u64) -> Option<u32> {
        match self.direct.holds(id) {
            true => self.direct.find(id),
            false => self.beyond.get(&id).copied(),
        }
    }

    /// Appends the index of every id, [`UNKNOWN`] if it has none; all ids of the run have one.
    pub(crate) fn find_all(&self, ids: &[u64], indices: &mut Vec<u32>) {
        let start = indices.len();
        if !self.direct.find_all(ids, indices) && !self.beyond.is_empty() {
            for (index, id) in indices[start..].iter_mut().zip(ids).filter(|(index, _)| **index == UNKNOWN) {
                *index = self.beyond.get(id).copied().unwrap_or(UNKNOWN);
            }
        }
    }

    /// Forgets all ids, and begins anew behind a run of ids that need no entry.
    pub(crate) fn start_behind(&mut self, run: Run) {
        let posted = self.posted.clone();
        *self = Remap { direct: Table::behind(run), posted, ..Remap::default() };
        self.posted.post(Posted::Ids(self.direct.clone()));
    }

    /// The ids that need no entry.
    pub(crate) fn run(&self) -> Run {
        self.direct.run()
    }

    /// What others may look into while this map grows.
    pub(crate) fn directory(&self) -> Arc<Directory> {
        self.posted.clone()
    }

    /// Gives an index to an id that has none.
    pub(crate) fn insert(&mut self, id: u64, index: u32) {
        if !self.direct.insert(id, index) {
            self.beyond.insert(id, index);
        }
        self.lengths.resize(65, 0);
        self.lengths[bit_length(id)] += 1;
        self.count += 1;
        // Doublings only, so that the cost of looking again is spread over the insertions.
        if self.count.is_power_of_two() && self.count >= SHORTEST / SPARSITY {
            self.lengthen();
        }
    }

    /// Makes the array as long as the density of the ids justifies, and moves ids into it.
    fn lengthen(&mut self) {
        let mut below = 0;
        let mut length = self.direct.len();
        for (bits, count) in self.lengths.iter().enumerate().take(usize::BITS as usize - 1) {
            below += count;
            let candidate = 1 << bits;
            // No longer than the longest id in it.
            if *count > 0 && candidate >= SHORTEST && below >= candidate / SPARSITY {
                length = length.max(candidate);
            }
        }
        self.direct.lengthen(length);
        let direct = &self.direct;
        self.beyond.retain(|&id, &mut index| !direct.insert(id, index));
        if direct.len() > 0 {
            self.posted.post(Posted::Ids(direct.clone()));
        }
        self.beyond.shrink_to_fit();
    }
}

/// Ids of length `n` are below 2^n.
fn bit_length(id: u64) -> usize {
    (u64::BITS - id.leading_zeros()) as usize
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

    #[inline]
    fn write_u32(&mut self, key: u32) {
        self.write_u64(key.into());
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }
}
