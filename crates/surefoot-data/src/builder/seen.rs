//! Which keys the current example has already: a hash table that is emptied in constant time.

use std::hash::{BuildHasher, RandomState};

/// Open addressing over positions in the example's list of keys. A cell counts only if its round is the current one.
#[derive(Debug)]
pub(crate) struct Seen {
    cells: Vec<(u32, u32)>,
    round: u32,
    count: usize,
    /// The bits in which two keys must differ to be two features.
    telling: u64,
    /// Odd and random, so that no file can be made to crowd the table. The order of cells is never seen.
    spread: u64,
}

impl Default for Seen {
    fn default() -> Self {
        let spread = RandomState::new().hash_one(0u64) | 1;
        Seen { cells: Vec::new(), round: 0, count: 0, telling: u64::MAX, spread }
    }
}

impl Seen {
    /// Keys are the same feature if they agree in these bits.
    pub(crate) fn tell_apart_by(&mut self, telling: u64) {
        self.telling = telling;
    }

    /// Forgets all keys and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.count = 0;
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            // The rounds have come full circle: old cells could look new.
            self.cells.fill((0, 0));
            self.round = 1;
        }
    }

    /// The position of `key` in `keys` if it is known; otherwise it is known from now on, at `next`.
    pub(crate) fn find_or_insert(&mut self, key: u64, next: u32, keys: &[u64]) -> Option<u32> {
        if self.cells.len() < 2 * (self.count + 1) {
            self.grow(keys);
        }
        let mask = self.cells.len() - 1;
        let product = (key & self.telling).wrapping_mul(self.spread);
        let mut at = (product >> 32) as usize & mask;
        while self.cells[at].0 == self.round {
            let position = self.cells[at].1;
            if keys.get(position as usize).is_some_and(|known| (known ^ key) & self.telling == 0) {
                return Some(position);
            }
            at = (at + 1) & mask;
        }
        self.cells[at] = (self.round, next);
        self.count += 1;
        None
    }

    fn grow(&mut self, keys: &[u64]) {
        let size = (2 * self.cells.len()).max(256);
        self.cells = vec![(0, 0); size];
        self.round = 0;
        self.rebuild(keys);
    }

    /// Knows exactly these keys, which differ from each other, at their positions.
    pub(crate) fn rebuild(&mut self, keys: &[u64]) {
        self.clear();
        for (position, &key) in keys.iter().enumerate() {
            self.find_or_insert(key, position as u32, &keys[..position]);
        }
    }
}
