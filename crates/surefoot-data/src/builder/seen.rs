//! Which keys the current example has already: a hash table that is emptied in constant time.

use std::hash::{BuildHasher, RandomState};

/// A key of the current example, or of an earlier one and then nothing.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    key: u64,
    /// The cell counts only if this is the current round.
    round: u32,
    /// Where the key stands in the example's list of keys.
    position: u32,
}

/// Open addressing.
#[derive(Debug)]
pub(crate) struct Seen {
    cells: Vec<Cell>,
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
            self.cells.fill(Cell::default());
            self.round = 1;
        }
    }

    /// The position of `key` if it is known; otherwise it is known from now on, at `next`.
    #[inline]
    pub(crate) fn find_or_insert(&mut self, key: u64, next: u32) -> Option<u32> {
        if self.cells.len() < 2 * (self.count + 1) {
            self.grow();
        }
        let key = key & self.telling;
        let mask = self.cells.len() - 1;
        let mut at = (key.wrapping_mul(self.spread) >> 32) as usize & mask;
        while self.cells[at].round == self.round {
            if self.cells[at].key == key {
                return Some(self.cells[at].position);
            }
            at = (at + 1) & mask;
        }
        self.cells[at] = Cell { key, round: self.round, position: next };
        self.count += 1;
        None
    }

    #[cold]
    fn grow(&mut self) {
        let size = (2 * self.cells.len()).max(256);
        let old = std::mem::replace(&mut self.cells, vec![Cell::default(); size]);
        let round = std::mem::take(&mut self.round);
        self.clear();
        for cell in old.iter().filter(|cell| cell.round == round) {
            self.find_or_insert(cell.key, cell.position);
        }
    }

    /// Knows exactly these keys, which differ from each other, at their positions.
    pub(crate) fn rebuild(&mut self, keys: &[u64]) {
        self.clear();
        for (position, &key) in keys.iter().enumerate() {
            self.find_or_insert(key, position as u32);
        }
    }
}
