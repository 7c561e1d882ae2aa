//! Where integers are dense, an integer is its own index.
//!
//! A table from a million ids to indices is a walk through memory for every feature of every example, and indices by first
//! appearance tear neighbours apart. So once enough of the ids below some bound have been met, all ids below it get
//! consecutive places, and nobody has to look them up. What has to be known besides is which of them were met.

use std::borrow::Cow;

use super::crowd::is_bound;

/// Of so many ids below the bound at least one was met, whoever asked for a region.
pub(crate) const MOST_SPARSITY: u64 = 8;

/// Bits of a word.
pub(super) const WORD: usize = 64;

/// Indices that are looked at together.
const TOGETHER: usize = 8;

/// Ids whose bits are set together.
const WAITING: usize = 256;

/// Ids that are their own index, counted from the place of id 0.
#[derive(Debug, Default)]
pub(super) struct Region {
    start: u32,
    length: u64,
    /// A bit for each id that was met, but those that wait.
    met: Vec<u64>,
    /// Ids that were met for the first time: their bits are anywhere in memory, and nobody waits for one of them at a time.
    waiting: Vec<u32>,
    count: usize,
    /// One more than the largest of them.
    end: u64,
    /// All ids of the words before this one were met, but perhaps id 0, which many files never use.
    full: usize,
}

impl Region {
    pub(super) fn new(start: u32, length: u64) -> Self {
        Region { start, length, met: vec![0; length as usize / WORD], ..Region::default() }
    }

    /// Whether a region can have this length.
    pub(super) fn can_have(length: u64) -> bool {
        is_bound(length)
    }

    /// A region with the bits that [`Region::words`] gave; none if there are more of them than ids, or too few ids were met.
    pub(super) fn with(start: u32, length: u64, words: &[u64]) -> Option<Self> {
        let met: u64 = words.iter().map(|word| u64::from(word.count_ones())).sum();
        // Before any memory is taken: a small file cannot ask for much.
        if met * MOST_SPARSITY < length {
            return None;
        }
        let mut region = Region::new(start, length);
        region.met.get_mut(..words.len())?.copy_from_slice(words);
        region.count = words.iter().map(|word| word.count_ones() as usize).sum();
        let last = words.iter().rposition(|&word| word != 0);
        region.end = last.map_or(0, |at| (at * WORD + WORD) as u64 - u64::from(words[at].leading_zeros()));
        region.count_full();
        Some(region)
    }

    /// The bits of the ids met, up to the last.
    pub(super) fn words(&self) -> Cow<'_, [u64]> {
        let mut words = Cow::Borrowed(&self.met[..self.end.div_ceil(WORD as u64) as usize]);
        if !self.waiting.is_empty() {
            set(words.to_mut(), &self.waiting);
        }
        words
    }

    /// The bits of all ids.
    pub(super) fn bits(&mut self) -> &[u64] {
        self.catch_up();
        &self.met
    }

    /// The index of id 0.
    pub(super) fn start(&self) -> u32 {
        self.start
    }

    /// Ids below this one are in the region.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// How many of its ids were met.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// One more than the largest id met.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    #[inline]
    pub(super) fn holds(&self, id: u64) -> bool {
        id < self.length
    }

    #[inline]
    pub(super) fn index(&self, id: u64) -> u32 {
        self.start + id as u32
    }

    /// Whether an id of the region was met.
    #[inline]
    pub(super) fn has(&self, id: u64) -> bool {
        self.met[id as usize / WORD] >> (id as usize % WORD) & 1 == 1 || self.waiting.contains(&(id as u32))
    }

    /// The ids that were met, ascending.
    pub(super) fn ids(&self) -> impl Iterator<Item = u64> {
        let words = self.words();
        (0..self.end).filter(move |&id| words[id as usize / WORD] >> (id as usize % WORD) & 1 == 1)
    }

    /// Takes note of an id of the region; false if it was met before.
    pub(super) fn meet(&mut self, id: u64) -> bool {
        self.catch_up();
        let fresh = !self.has(id);
        self.met[id as usize / WORD] |= 1 << (id as usize % WORD);
        self.count += usize::from(fresh);
        self.end = self.end.max(id + 1);
        if id as usize / WORD == self.full {
            self.count_full();
        }
        fresh
    }

    /// Takes note of features that were not met before, by their indices; those of features elsewhere do no harm.
    pub(super) fn note_new(&mut self, indices: &[u32]) {
        for index in indices {
            let id = index.wrapping_sub(self.start);
            if u64::from(id) < self.length {
                self.waiting.push(id);
                self.count += 1;
                self.end = self.end.max(u64::from(id) + 1);
            }
        }
        if self.waiting.len() >= WAITING {
            self.catch_up();
        }
    }

    /// Sets the bits of those that wait.
    pub(super) fn catch_up(&mut self) {
        if !self.waiting.is_empty() {
            set(&mut self.met, &self.waiting);
            self.waiting.clear();
            self.count_full();
        }
    }

    #[inline]
    fn count_full(&mut self) {
        let is_full = |at: usize| self.met.get(at).is_some_and(|word| word | u64::from(at == 0) == u64::MAX);
        while is_full(self.full) {
            self.full += 1;
        }
    }

    /// Takes note of the features of an example, by their indices, ids ascending; those of features elsewhere, which come
    /// last, do no harm. `fresh` is told of every id that was not met before.
    pub(super) fn meet_all(&mut self, indices: &[u32], mut fresh: impl FnMut(u64)) {
        self.catch_up();
        for part in self.not_full(indices) {
            let (parts, rest) = part.as_chunks::<TOGETHER>();
            parts.iter().for_each(|part| self.meet_part(part, &mut fresh));
            self.meet_part(rest, &mut fresh);
        }
    }

    /// The same, and nobody is told: a new id in every other row is more than a processor can foresee, so nothing here depends
    /// on whether there is one.
    pub(super) fn note_all(&mut self, indices: &[u32]) {
        self.catch_up();
        for part in self.not_full(indices) {
            for &index in part {
                let id = index.wrapping_sub(self.start) as usize;
                if let Some(word) = self.met.get_mut(id / WORD) {
                    let bits = *word;
                    *word = bits | 1 << (id % WORD);
                    self.count += usize::from(bits >> (id % WORD) & 1 == 0);
                }
            }
        }
        // The last one that lies in the region is the largest of them.
        let mut ids = indices.iter().rev().map(|index| u64::from(index.wrapping_sub(self.start)));
        let last = ids.find(|&id| id < self.length);
        self.end = last.map_or(self.end, |last| self.end.max(last + 1));
        self.count_full();
    }

    /// Those of an example's indices that may be new: perhaps that of id 0, and all behind the full words.
    fn not_full<'i>(&self, indices: &'i [u32]) -> [&'i [u32]; 2] {
        let (zero, indices) = indices.split_at(usize::from(indices.first() == Some(&self.start)));
        // Frequent integers are small, and stand at the front of a row: half of it and more brings nothing new.
        let (first, many) = (self.start + 1, (self.full * WORD).saturating_sub(1) as u32);
        let known = indices.partition_point(|index| index.wrapping_sub(first) < many);
        [zero, &indices[known..]]
    }

    #[inline(always)]
    fn meet_part(&mut self, part: &[u32], fresh: &mut impl FnMut(u64)) {
        let bits = part.iter().enumerate().map(|(at, &index)| (1 - self.bit(index)) << at);
        let mut new = bits.fold(0, |all, bit| all | bit);
        while new != 0 {
            let id = u64::from(part[new.trailing_zeros() as usize] - self.start);
            self.meet(id);
            fresh(id);
            new &= new - 1;
        }
    }

    /// 1 if the feature of an index was met, or lies elsewhere.
    #[inline(always)]
    fn bit(&self, index: u32) -> u64 {
        let id = index.wrapping_sub(self.start) as usize;
        self.met.get(id / WORD).map_or(1, |word| word >> (id % WORD) & 1)
    }
}

/// Sets the bits of ids.
fn set(words: &mut [u64], ids: &[u32]) {
    for &id in ids {
        words[id as usize / WORD] |= 1 << (id as usize % WORD);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_met_is_noted_once(
            rows in prop::collection::vec(prop::collection::vec(0u64..300, 0..40), 1..30),
            start in 0u32..3,
        ) {
            let (mut region, mut met) = (Region::new(start, 1 << 14), BTreeSet::new());
            let mut noted = Region::new(start, 1 << 14);
            let mut told = Region::new(start, 1 << 14);
            for mut row in rows {
                row.sort_unstable();
                row.dedup();
                // The last index is outside the region.
                let indices: Vec<u32> = row.iter().map(|&id| region.index(id)).chain([start + (1 << 14)]).collect();
                let mut fresh = Vec::new();
                region.meet_all(&indices, |id| fresh.push(id));
                noted.note_all(&indices);
                let new: Vec<u32> = fresh.iter().map(|&id| region.index(id)).chain([start + (1 << 14)]).collect();
                told.note_new(&new);
                let expected: Vec<u64> = row.into_iter().filter(|&id| met.insert(id)).collect();
                prop_assert_eq!(fresh, expected);
                prop_assert_eq!((told.count(), told.end()), (region.count(), region.end()));
                prop_assert_eq!(told.words(), region.words());
                prop_assert!((0..300).all(|id| told.has(id) == region.has(id)));
            }
            prop_assert_eq!(format!("{noted:?}"), format!("{region:?}"), "whoever is told of it");
            prop_assert_eq!(told.ids().collect::<Vec<_>>(), region.ids().collect::<Vec<_>>());
            told.catch_up();
            told.waiting = Vec::new();
            prop_assert_eq!(format!("{told:?}"), format!("{region:?}"), "whoever knew it before");
            prop_assert_eq!(region.ids().collect::<Vec<_>>(), met.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!((region.count(), region.end()), (met.len(), met.last().map_or(0, |id| id + 1)));
            // As many as a region must have at least, far from those of the rows.
            (4000..6048).for_each(|id| _ = region.meet(id));
            let again = Region::with(start, 1 << 14, &region.words()).unwrap();
            prop_assert_eq!(format!("{again:?}"), format!("{region:?}"));
        }
    }

    #[test]
    fn a_front_that_is_full_is_skipped_and_id_0_is_not() {
        let mut region = Region::new(1, 1 << 14);
        let fresh = |region: &mut Region, ids: &[u64]| {
            let (indices, mut found): (Vec<u32>, _) =
                (ids.iter().map(|&id| region.index(id)).collect(), vec![]);
            region.meet_all(&indices, |id| found.push(id));
            found
        };
        let most: Vec<u64> = (1..200).collect();
        assert_eq!(fresh(&mut region, &most), most);
        assert_eq!(region.full, 3);
        assert!(fresh(&mut region, &most).is_empty());
        assert_eq!(fresh(&mut region, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 150, 200]), [0, 200]);
        assert!(Region::with(0, 1 << 14, &[u64::MAX; (1 << 8) + 1]).is_none(), "more words than ids");
        assert!(Region::with(0, 1 << 14, &[u64::MAX; 31]).is_none(), "too few of them");
        assert!(Region::with(0, 1 << 14, &[u64::MAX; 32]).is_some());
    }
}
