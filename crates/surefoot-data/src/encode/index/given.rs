//! Integers as the file gives them, in pages of neighbours.
//!
//! A page of 16 neighbouring ids gets 16 consecutive indices at the first sight of any of them, in file order, and no index
//! ever changes. Ids that occur together are often near each other, so their weights share lines of the cache, and one look
//! into a small table finds their page. Where ids turn out to be scattered, so that pages stay nearly empty, ids without a
//! page get single indices behind the pages from then on: waste is bounded whatever the ids are. The choice depends on the
//! order of the file alone.
//!
//! Stores that want columns without gaps ask for pages of one id.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;

use super::slots::KeyHash;
use super::{FeatureIndex, FeatureName, FoundFeatures, UNKNOWN, check_count};
use crate::key::BIAS_KEY;
use surefoot_core::state::{State, Tensor, check_length, damaged};

const SHAPE: &str = "space.shape";
const PAGES: &str = "space.pages";
const MET: &str = "space.met";
const IDS: &str = "space.ids";

/// Logarithm of the ids of a page where gaps do no harm.
pub(super) const PAGE_BITS: u32 = 4;

/// From so many pages on it matters how full they are: a million rows at most are wasted before.
pub(super) const TRIAL: usize = 1 << 16;

/// Pages with fewer ids each, on average, are not worth their room.
const WORTH_A_PAGE: usize = 4;

/// What is known of a page; all zero where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Page {
    /// The index of its first id, plus 1.
    start: u32,
    /// A bit for each of its ids that was met.
    met: u32,
}

/// Integer features, each with the index that it got at first sight.
#[derive(Clone, Debug, Default)]
pub(crate) struct AsGiven {
    bits: u32,
    /// From the number of a page to what is known of it.
    pages: IntMap<Page>,
    /// The numbers of the pages, in the order of their indices.
    numbers: Vec<u64>,
    /// Whether new ids get no page any more.
    scattered: bool,
    /// Ids that have no page, in the order of their indices, which begin behind those of the pages.
    singles: Vec<u64>,
    /// From them to their index, plus 1.
    single_places: IntMap<u32>,
    /// Ids that were met.
    count: usize,
    /// From so many pages on it is asked whether ids are scattered.
    trial: usize,
}

impl AsGiven {
    /// No features yet; with `gaps` neighbours share a page.
    pub(crate) fn new(gaps: bool) -> Self {
        Self::with_trial(if gaps { PAGE_BITS } else { 0 }, TRIAL)
    }

    /// The same with pages of 2^`bits` ids and another number of pages to try.
    pub(super) fn with_trial(bits: u32, trial: usize) -> Self {
        AsGiven { bits, trial, ..AsGiven::default() }
    }

    pub(super) fn import(trial: usize, state: &mut State<'_>) -> surefoot_core::Result<Self> {
        let shape = state.take_u64(SHAPE)?;
        let (bits, scattered) = match shape[..] {
            [0, 0] => (0, false),
            [bits, scattered @ (0 | 1)] if bits == u64::from(PAGE_BITS) => (PAGE_BITS, scattered == 1),
            _ => return Err(damaged(SHAPE, format!("{shape:?} is no shape of an index"))),
        };
        let numbers = state.take_u64(PAGES)?;
        let met = if bits > 0 { state.take_u32(MET)? } else { vec![1; numbers.len()] };
        let singles = if scattered { state.take_u64(IDS)? } else { Vec::new() };
        check_length(MET, met.len(), numbers.len())?;
        check_count(PAGES, numbers.len().saturating_mul(1 << bits).saturating_add(singles.len()))?;
        let mut index = Self::with_trial(bits, trial);
        for (number, met) in numbers.into_iter().zip(met) {
            index.import_page(number, met)?;
        }
        index.scattered = scattered;
        for id in singles {
            let (number, _) = index.place(id);
            if index.pages.get(number) != Page::default() || index.single_places.get(id) != 0 {
                return Err(damaged(IDS, format!("feature {id} occurs twice")));
            }
            index.insert_single(id);
        }
        Ok(index)
    }

    fn import_page(&mut self, number: u64, met: u32) -> surefoot_core::Result<()> {
        if number > u64::MAX >> self.bits || self.pages.get(number) != Page::default() {
            let what = format!("page {number} is impossible, or occurs twice");
            return Err(damaged(PAGES, what));
        }
        if met == 0 || u64::from(met) >> (1 << self.bits) != 0 {
            return Err(damaged(MET, format!("{met:#x} are no ids of a page")));
        }
        self.insert_page(number, met);
        Ok(())
    }

    /// The page of an id, and which of the page's ids it is.
    #[inline]
    fn place(&self, id: u64) -> (u64, u32) {
        (id >> self.bits, (id & ((1 << self.bits) - 1)) as u32)
    }

    #[cold]
    fn insert(&mut self, id: u64) -> u32 {
        if self.scattered {
            return self.insert_single(id);
        }
        let (number, within) = self.place(id);
        let start = self.insert_page(number, 1 << within);
        let pages = self.numbers.len();
        // At powers of two only, so that a bad start is forgiven now and then, and a good one does not last for ever.
        let asked = self.bits > 0 && pages >= self.trial && pages.is_power_of_two();
        self.scattered = asked && self.count < WORTH_A_PAGE * pages;
        start + within
    }

    /// Gives the next indices to a page; returns the first of them.
    fn insert_page(&mut self, number: u64, met: u32) -> u32 {
        let start = (self.numbers.len() << self.bits) as u32;
        self.numbers.push(number);
        self.pages.insert(number, Page { start: start + 1, met });
        self.count += met.count_ones() as usize;
        start
    }

    /// Gives the next index to an id alone.
    fn insert_single(&mut self, id: u64) -> u32 {
        let index = self.bound() as u32;
        self.singles.push(id);
        self.single_places.insert(id, index + 1);
        self.count += 1;
        index
    }

    /// The index of an id, and whether it was met.
    #[inline]
    fn find(&self, id: u64) -> (u32, bool) {
        let (number, within) = self.place(id);
        let page = self.pages.get(number);
        if page.start != 0 {
            return (page.start - 1 + within, page.met >> within & 1 == 1);
        }
        // An id that has no place has the place 0.
        let index = if self.scattered { self.single_places.get(id).wrapping_sub(1) } else { UNKNOWN };
        (index, index != UNKNOWN)
    }

    /// The id of an index, if it was met.
    fn id(&self, index: u32) -> Option<u64> {
        let (page, within) = ((index >> self.bits) as usize, index & ((1 << self.bits) - 1));
        let Some(&number) = self.numbers.get(page) else {
            return self.singles.get(index as usize - (self.numbers.len() << self.bits)).copied();
        };
        let met = self.pages.get(number).met >> within & 1 == 1;
        met.then_some(number << self.bits | u64::from(within))
    }
}

impl FeatureIndex for AsGiven {
    #[inline]
    fn intern(&mut self, id: u64, _name: &[u8]) -> u32 {
        let (number, within) = self.place(id);
        if let Some(page) = self.pages.get_mut(number) {
            self.count += usize::from(page.met >> within & 1 == 0);
            page.met |= 1 << within;
            return page.start - 1 + within;
        }
        match self.single_places.get(id) {
            0 => self.insert(id),
            place => place - 1,
        }
    }

    fn get_all(&self, ids: &[u64], found: &mut FoundFeatures) {
        found.fill(ids.len(), ids.iter().map(|&id| self.find(id)));
    }

    fn feature(&self, index: u32) -> Option<(u64, FeatureName<'_>)> {
        let id = self.id(index)?;
        Some((id, if id == BIAS_KEY { FeatureName::Bias } else { FeatureName::Id(id) }))
    }

    fn len(&self) -> usize {
        self.count
    }

    fn bound(&self) -> usize {
        (self.numbers.len() << self.bits) + self.singles.len()
    }

    fn compare(&self, one: u32, other: u32) -> Ordering {
        // The bias has the largest id of all and so comes last.
        self.id(one).cmp(&self.id(other))
    }

    fn export<'a>(&'a self, state: &mut State<'a>) {
        let shape = vec![u64::from(self.bits), u64::from(self.scattered)];
        state.put(SHAPE, Tensor::U64(Cow::Owned(shape)));
        state.put(PAGES, Tensor::U64(Cow::Borrowed(&self.numbers)));
        if self.bits > 0 {
            let met = self.numbers.iter().map(|&number| self.pages.get(number).met);
            state.put(MET, Tensor::U32(met.collect()));
        }
        if self.scattered {
            state.put(IDS, Tensor::U64(Cow::Borrowed(&self.singles)));
        }
    }
}

/// Keys below this one always have a place in the array, which then takes at most half a megabyte.
const ALWAYS_DIRECT: u64 = 1 << 16;

/// Array entries for each key in it: below this density the hash map is smaller.
const SPARSITY: u64 = 8;

/// A map from integers that is a plain array where integers are dense and a hash map where they are not. An absent key has the default value, which is never inserted. Memory is proportional to the number
/// of entries, whatever the keys are.
#[derive(Clone, Debug, Default)]
pub(super) struct IntMap<V> {
    direct: Vec<V>,
    /// Keys behind the array.
    beyond: HashMap<u64, V, KeyHash>,
}

impl<V: Copy + Default + PartialEq> IntMap<V> {
    /// The value of a key, or the default.
    #[inline]
    pub(super) fn get(&self, key: u64) -> V {
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
    pub(super) fn get_mut(&mut self, key: u64) -> Option<&mut V> {
        if key < self.direct.len() as u64 {
            return Some(&mut self.direct[key as usize]).filter(|value| **value != V::default());
        }
        self.beyond.get_mut(&key)
    }

    /// Gives a value to a key that has none.
    pub(super) fn insert(&mut self, key: u64, value: V) {
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

#[cfg(test)]
mod tests;
