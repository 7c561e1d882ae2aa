//! How many ids were met below each bound that a region can have, so that it is known when one pays.

use super::region::{Region, WORD};

/// The bounds that a region can have are powers of 4, from the first that is worth a move.
const SHORTEST: u32 = 14;

/// How many such bounds there are.
const LEVELS: usize = 8;

/// Of so many ids one may lie beyond a bound where nearly all are below it.
const FEW: usize = 16;

/// Ids below this one belong to a level or to one before it.
const fn bound(level: usize) -> u64 {
    1 << (SHORTEST + 2 * level as u32)
}

/// No region is longer.
pub(crate) const LONGEST_REGION: u64 = bound(LEVELS - 1);

/// Whether a region can have this length.
pub(super) fn is_bound(length: u64) -> bool {
    (0..LEVELS).any(|level| length == bound(level))
}

/// How many ids were met between any two bounds.
#[derive(Debug, Default)]
pub(super) struct Crowd {
    /// The last place is for what is beyond all of them.
    counts: [u64; LEVELS + 1],
    /// The largest bound that an id which was met is below; 0 if there is none.
    reach: u64,
}

impl Crowd {
    /// Counts an id that was not met before.
    #[inline]
    pub(super) fn add(&mut self, id: u64) {
        let bits = u64::BITS - id.leading_zeros();
        let level = bits.saturating_sub(SHORTEST).div_ceil(2) as usize;
        self.counts[level.min(LEVELS)] += 1;
        if level < LEVELS {
            self.reach = self.reach.max(bound(level));
        }
    }

    /// Counts the ids of a region anew.
    pub(super) fn recount(&mut self, region: &mut Region) {
        let (bits, mut start) = (region.bits(), 0);
        for (level, count) in self.counts[..LEVELS].iter_mut().enumerate() {
            let end = bound(level) as usize / WORD;
            let Some(words) = bits.get(start..end) else { break };
            *count = words.iter().map(|word| u64::from(word.count_ones())).sum();
            start = end;
        }
    }

    /// The largest bound that [`Crowd::dense_below`] could ever find with the ids so far.
    pub(super) fn reach(&self) -> u64 {
        self.reach
    }

    /// The largest bound, and no larger than `most`, below which one of so many ids was met; 0 if there is none.
    pub(super) fn dense_below(&self, sparsity: u64, most: u64) -> u64 {
        let (mut below, mut dense) = (0, 0);
        for (level, &count) in self.counts[..LEVELS].iter().enumerate() {
            below += count;
            if count > 0 && bound(level) <= most && below * sparsity >= bound(level) {
                dense = bound(level);
            }
        }
        dense
    }

    /// The same, if nearly all ids that were met below `most` are below it: otherwise a larger bound will soon do, and nobody
    /// moves twice.
    pub(super) fn dense_at_last(&self, sparsity: u64, most: u64) -> u64 {
        let dense = self.dense_below(sparsity, most);
        let met = |most| self.beyond(0) - self.beyond(most);
        if (met(most) - met(dense)) * FEW > met(most) { 0 } else { dense }
    }

    /// How many ids were met that are not below a bound.
    pub(super) fn beyond(&self, bound_of: u64) -> usize {
        let levels = (0..LEVELS).filter(|&level| bound(level) <= bound_of).count();
        self.counts[levels..].iter().sum::<u64>() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_is_counted_by_the_bits_of_its_region() {
        let (mut region, mut crowd, mut again) =
            (Region::new(3, 1 << 16), Crowd::default(), Crowd::default());
        for id in (0..1 << 16).step_by(3).chain((1 << 16..1 << 20).step_by(1000)) {
            crowd.add(id);
            again.add(id);
            if region.holds(id) {
                region.meet(id);
                again.add(id);
            }
        }
        assert_ne!(format!("{again:?}"), format!("{crowd:?}"));
        again.recount(&mut region);
        assert_eq!(format!("{again:?}"), format!("{crowd:?}"));
    }

    #[test]
    fn ids_are_dense_below_a_bound_or_not() {
        let crowd = |ids: std::ops::Range<u64>, step| {
            let mut crowd = Crowd::default();
            ids.step_by(step).for_each(|id| crowd.add(id));
            crowd
        };
        assert_eq!(crowd(0..2000, 1).dense_below(8, u64::MAX), 0);
        assert_eq!(crowd(0..2048, 1).dense_below(8, u64::MAX), 1 << 14);
        assert_eq!(crowd(0..1 << 16, 4).dense_below(4, u64::MAX), 1 << 16);
        assert_eq!(crowd(0..1 << 16, 4).dense_below(3, u64::MAX), 0);
        assert_eq!(crowd(0..1 << 16, 4).dense_below(8, 1 << 15), 1 << 14);
        assert_eq!(
            [1 << 14, 1 << 16, 1 << 18].map(|bound| crowd(0..1 << 16, 4).beyond(bound)),
            [3 << 12, 0, 0]
        );
        assert_eq!(crowd(0..1 << 40, 1 << 30).beyond(1 << 28), 1023);
        // Dense at the front, and a third of them beyond: whoever waits moves once.
        let mut spread = crowd(0..1 << 20, 4096);
        (0..600).for_each(|id| spread.add(id));
        let bounds =
            |sparsity, most| [spread.dense_below(sparsity, most), spread.dense_at_last(sparsity, most)];
        assert_eq!(bounds(64, u64::MAX), [1 << 14, 0]);
        assert_eq!(bounds(64, 1 << 14), [1 << 14; 2], "of those who may move all would");
        assert_eq!(bounds(2048, u64::MAX), [1 << 20; 2]);
        (600..6000).for_each(|id| spread.add(id));
        assert_eq!([spread.dense_below(16, u64::MAX), spread.dense_at_last(16, u64::MAX)], [1 << 16; 2]);
        // Dense as a whole, but nobody needs so much room.
        assert_eq!(crowd(0..1 << 14, 1).dense_below(8, u64::MAX), 1 << 14);
        assert_eq!(crowd(1 << 40..(1 << 40) + 5000, 1).dense_below(8, u64::MAX), 0);
        assert_eq!(crowd(u64::MAX - 9..u64::MAX, 1).dense_below(8, u64::MAX), 0);
    }
}
