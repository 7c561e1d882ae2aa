//! Which features were met once: those that are many, and mostly never met again, get an index when they come again.
//!
//! Most pairs of words and most runs of characters of a text are met a single time. A weight for each would be most of a
//! model, and say nothing. A bit for each is set instead when it is met first; a few features find theirs set by another one
//! and get their index at first sight, which does no harm.

use std::borrow::Cow;

use surefoot_core::prefetch;
use surefoot_core::state::{State, Tensor, check_length, damaged};

const BITS: &str = "space.once";
const COUNT: &str = "space.once-count";

/// Bits of the smallest table, as a power of two.
const SMALLEST: usize = 12;

/// Bits of the largest: 16 MB.
const LARGEST: usize = 27;

/// Bits a feature.
const EACH: u64 = 16;

#[derive(Clone, Debug)]
pub(super) struct MetOnce {
    /// A power of two of bits.
    bits: Vec<u64>,
    /// Features whose bits were set.
    count: u64,
}

impl Default for MetOnce {
    fn default() -> Self {
        Self { bits: vec![0; 1 << (SMALLEST - 6)], count: 0 }
    }
}

impl MetOnce {
    /// Asks for the memory of features.
    pub(super) fn prefetch(&self, keys: &[u64]) {
        let mask = 64 * self.bits.len() - 1;
        keys.iter().for_each(|&key| prefetch::rows(&self.bits, (key as usize & mask) / 64, 1));
    }

    /// Whether a feature was met before; now it was.
    pub(super) fn meet(&mut self, key: u64) -> bool {
        let at = key as usize & (64 * self.bits.len() - 1);
        let (word, bit) = (&mut self.bits[at / 64], 1 << (at % 64));
        let met = *word & bit != 0;
        *word |= bit;
        self.count += u64::from(!met);
        if self.count * EACH > 64 * self.bits.len() as u64 {
            self.grow();
        }
        met
    }

    /// Twice as many bits: whichever of its two a feature has now, it is set. A table as large as can be is emptied instead.
    #[cold]
    fn grow(&mut self) {
        if self.bits.len() < 1 << (LARGEST - 6) {
            self.bits.extend_from_within(..);
        } else {
            self.bits.fill(0);
            self.count = 0;
        }
    }

    pub(super) fn export<'a>(&'a self, state: &mut State<'a>) {
        if self.count > 0 {
            state.put(BITS, Tensor::U64(Cow::Borrowed(&self.bits)));
            state.put(COUNT, Tensor::U64(vec![self.count].into()));
        }
    }

    pub(super) fn import(state: &mut State<'_>) -> surefoot_core::Result<Self> {
        if !state.has(BITS) {
            return Ok(Self::default());
        }
        let (bits, count) = (state.take_u64(BITS)?, state.take_u64(COUNT)?);
        check_length(COUNT, count.len(), 1)?;
        let possible =
            bits.len().is_power_of_two() && (SMALLEST..=LARGEST).contains(&(bits.len().ilog2() as usize + 6));
        if !possible || count[0].saturating_mul(EACH) > 64 * bits.len() as u64 {
            return Err(damaged(BITS, format!("{} numbers for {} features", bits.len(), count[0])));
        }
        Ok(Self { bits, count: count[0] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spread as hashes are.
    fn key(i: u64) -> u64 {
        (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }

    #[test]
    fn what_was_met_is_never_forgotten_and_few_others_seem_to_be() {
        let mut once = MetOnce::default();
        let early = (0..100_000).filter(|&i| once.meet(key(i))).count();
        assert!(early < 25_000, "{early}");
        assert!((0..100_000).all(|i| once.meet(key(i))));
    }

    #[test]
    fn it_goes_on_where_it_was_saved() {
        let (mut whole, mut first) = (MetOnce::default(), MetOnce::default());
        (0..3000).for_each(|i| _ = (whole.meet(key(i)), first.meet(key(i))));
        let mut state = State::new();
        first.export(&mut state);
        let mut second = MetOnce::import(&mut state).unwrap();
        assert!((2000..9000).all(|i| whole.meet(key(i)) == second.meet(key(i))));
        for (bits, count) in [(vec![0; 63], 1), (vec![0; 3 << 6], 1), (vec![], 0), (vec![0; 64], u64::MAX)] {
            let mut state = State::new();
            state.put(BITS, Tensor::U64(bits.into()));
            state.put(COUNT, Tensor::U64(vec![count].into()));
            assert!(MetOnce::import(&mut state).is_err());
        }
    }
}
