//! Which keys the current example has already: a hash table that is emptied in constant time.

use std::hash::{BuildHasher, RandomState};
use std::hint::select_unpredictable;

/// Where a key of the current example stands in its list of keys; nothing if it is of an earlier round.
#[derive(Clone, Copy, Debug, Default)]
struct SeenCell {
    round: u32,
    position: u32,
}

/// Cells of the smallest table.
const SMALLEST: usize = 64;

/// Open addressing. Of the cells only as many are used as the example needs: a short text then stays in the nearest
/// cache, however long the texts before it were.
#[derive(Debug)]
pub(crate) struct Seen {
    cells: Vec<SeenCell>,
    /// Cells in use less one; their number is a power of two.
    mask: usize,
    round: u32,
    /// The bits in which two keys must differ to be two features.
    telling: u64,
    /// Odd and random, so that no file can be made of keys that collide. The order of cells is never seen.
    spread: u64,
}

impl Default for Seen {
    fn default() -> Self {
        let spread = RandomState::new().hash_one(0u64) | 1;
        let cells = vec![SeenCell::default(); SMALLEST];
        Seen { cells, mask: SMALLEST - 1, round: 1, telling: u64::MAX, spread }
    }
}

impl Seen {
    /// Keys are the same feature if they agree in these bits.
    pub(crate) fn tell_apart_by(&mut self, telling: u64) {
        self.telling = telling;
    }

    /// Forgets all keys and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.mask = SMALLEST - 1;
        self.next_round();
    }

    fn next_round(&mut self) {
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            // The rounds have come full circle: old cells could look new.
            self.cells.fill(SeenCell::default());
            self.round = 1;
        }
    }

    /// Makes room for `more` keys besides the `known` ones.
    #[inline]
    pub(crate) fn reserve(&mut self, known: &[u64], more: usize) {
        // At a quarter of the cells few keys meet another's.
        let needed = 4 * (known.len() + more);
        if needed > self.mask {
            self.grow(needed, known);
        }
    }

    #[cold]
    fn grow(&mut self, needed: usize, known: &[u64]) {
        let size = (needed + 1).next_power_of_two();
        self.cells.resize(size.max(self.cells.len()), SeenCell::default());
        self.mask = size - 1;
        self.rebuild(known);
    }

    /// The table to look keys up in, and to add as many to as there is room for.
    #[inline]
    pub(crate) fn table(&mut self) -> SeenTable<'_> {
        let Seen { mask, round, telling, spread, .. } = *self;
        SeenTable { cells: &mut self.cells[..=mask], round, telling, spread }
    }

    /// Knows exactly these keys, which differ from each other.
    pub(crate) fn rebuild(&mut self, keys: &[u64]) {
        self.next_round();
        self.reserve(keys, 0);
        let mut table = self.table();
        keys.iter().enumerate().for_each(|(next, &key)| _ = table.first(keys, key, next));
    }
}

/// The cells in use, and what is needed to read them.
pub(crate) struct SeenTable<'a> {
    cells: &'a mut [SeenCell],
    round: u32,
    telling: u64,
    spread: u64,
}

impl SeenTable<'_> {
    /// Where `key`, which stands in `keys` at `next`, came first: there, and then it is known from now on, or before.
    /// Keys from `next` on must not be known yet.
    ///
    /// Whether a key comes for the first time cannot be predicted, so there is no branch on it: an empty cell stands for
    /// `next` itself, where the key is surely found. Only a cell that another key has is passed over.
    #[inline]
    pub(crate) fn first(&mut self, keys: &[u64], key: u64, next: usize) -> usize {
        let key = key & self.telling;
        let mask = self.cells.len() - 1;
        let mut at = (key.wrapping_mul(self.spread) >> 32) as usize & mask;
        loop {
            let SeenCell { round, position } = self.cells[at];
            let position = select_unpredictable(round == self.round, position, next as u32);
            if keys[position as usize] & self.telling == key {
                self.cells[at] = SeenCell { round: self.round, position };
                return position as usize;
            }
            at = (at + 1) & mask;
        }
    }
}
