//! Which features were met once: those that are many, and mostly never met again, get an index when they come again.
//!
//! Most pairs of words and most runs of characters of a text are met a single time. A weight for each would be most of a
//! model, and say nothing. Four bits for each are set instead when it is met first. One or two features in a hundred find theirs
//! set by others and get their index at first sight, which does no harm.

use surefoot_core::prefetch;
use surefoot_core::state::{State, Tensor, check_length, damaged};

const BITS: &str = "space.once";
const COUNT: &str = "space.once-count";

/// Numbers of 64 bits in the first table.
const SMALLEST: usize = 1 << 6;

/// So many times larger is each table than the one before.
const GROWTH: usize = 8;

/// Tables at most: the last has 16 MB.
const MOST: usize = 6;

/// Features for each number: a quarter of the bits are then set.
const EACH: usize = 4;

/// Bloom filters, each larger than the one before it, of which only the last is filled.
#[derive(Clone, Debug)]
pub(super) struct MetOnce {
    tables: Vec<Vec<u64>>,
    /// Features in the last one.
    count: usize,
}

impl Default for MetOnce {
    fn default() -> Self {
        Self { tables: vec![vec![0; SMALLEST]], count: 0 }
    }
}

impl MetOnce {
    /// Asks for the memory of features.
    pub(super) fn prefetch(&self, keys: &[u64]) {
        for table in self.tables.iter().filter(|table| size_of_val(&table[..]) > prefetch::WORTH_IT) {
            keys.iter().for_each(|&key| prefetch::rows(table, place(table, key), 1));
        }
    }

    /// Whether a feature was met before.
    pub(super) fn has(&self, key: u64) -> bool {
        let bits = bits(key);
        self.tables.iter().any(|table| table[place(table, key)] & bits == bits)
    }

    /// Whether a feature was met before; now it was.
    pub(super) fn meet(&mut self, key: u64) -> bool {
        if self.has(key) {
            return true;
        }
        if let Some(last) = self.tables.last_mut() {
            let at = place(last, key);
            last[at] |= bits(key);
            self.count += 1;
            if self.count >= EACH * last.len() {
                self.grow();
            }
        }
        false
    }

    /// Room for more. Where there is enough already, what was met so long ago is forgotten.
    #[cold]
    fn grow(&mut self) {
        if self.tables.len() < MOST {
            self.tables.push(vec![0; length(self.tables.len())]);
        } else {
            *self = Self::default();
        }
        self.count = 0;
    }

    pub(super) fn export(&self, state: &mut State<'_>) {
        if self.count > 0 || self.tables.len() > 1 {
            state.put(BITS, Tensor::U64(self.tables.concat().into()));
            state.put(COUNT, Tensor::U64(vec![self.count as u64].into()));
        }
    }

    pub(super) fn import(state: &mut State<'_>) -> surefoot_core::Result<Self> {
        if !state.has(BITS) {
            return Ok(Self::default());
        }
        let (bits, count) = (state.take_u64(BITS)?, state.take_u64(COUNT)?);
        check_length(COUNT, count.len(), 1)?;
        let (mut tables, mut rest) = (Vec::new(), &bits[..]);
        while let Some((table, more)) = rest.split_at_checked(length(tables.len()))
            && tables.len() < MOST
        {
            tables.push(table.to_vec());
            rest = more;
        }
        let room = tables.last().map_or(0, |last| EACH * last.len());
        match usize::try_from(count[0]) {
            Ok(count) if rest.is_empty() && count < room => Ok(Self { tables, count }),
            _ => Err(damaged(
                BITS,
                format!("{} numbers, with {} features in the last table", bits.len(), count[0]),
            )),
        }
    }
}

/// Numbers in a table.
fn length(table: usize) -> usize {
    SMALLEST * GROWTH.pow(table as u32)
}

/// Four bits of one number, so that one look into memory tells.
fn bits(key: u64) -> u64 {
    [58, 52, 46, 40].iter().fold(0, |bits, shift| bits | 1 << (key >> shift & 63))
}

/// Where the bits of a feature are.
fn place(table: &[u64], key: u64) -> usize {
    key as usize & (table.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spread as hashes are.
    fn key(i: u64) -> u64 {
        crate::key::name_key(&i.to_le_bytes(), 0)
    }

    #[test]
    fn what_was_met_is_never_forgotten_and_few_others_seem_to_be() {
        let mut once = MetOnce::default();
        let early = (0..300_000).filter(|&i| once.meet(key(i))).count();
        assert!(early < 6_000, "{early}");
        assert!((0..300_000).all(|i| once.meet(key(i))));
    }

    #[test]
    fn it_goes_on_where_it_was_saved() {
        let (mut whole, mut first) = (MetOnce::default(), MetOnce::default());
        (0..3000).for_each(|i| _ = (whole.meet(key(i)), first.meet(key(i))));
        let mut state = State::new();
        first.export(&mut state);
        let mut second = MetOnce::import(&mut state).unwrap();
        assert!((2000..9000).all(|i| whole.meet(key(i)) == second.meet(key(i))));
        for (bits, count) in [(63, 1), (64, 256), (65, 1), (0, 0), (64 + 512, u64::MAX)] {
            let mut state = State::new();
            state.put(BITS, Tensor::U64(vec![0; bits].into()));
            state.put(COUNT, Tensor::U64(vec![count].into()));
            assert!(MetOnce::import(&mut state).is_err(), "{bits} {count}");
        }
    }
}
