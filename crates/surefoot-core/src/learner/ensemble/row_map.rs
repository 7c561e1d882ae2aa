//! Rows of weights for the features that a group of members sees.
//!
//! Where text is cut in several ways, members that see one cut would have rows in their tables for the features of all others:
//! most of the memory of the ensemble. So each feature gets the next row of the group when the group first sees it. As long as nothing
//! was cut every member sees everything, and the row of a feature is its index.

use std::iter::repeat_n;

use crate::state::{State, Tensor, damaged};
use crate::store::{MOST_FEATURES, NOWHERE};
use crate::{Result, SparseVec};

/// What the tensors are called: how many rows there are, and the row of each feature.
const COUNT: &str = "count";
const ROWS: &str = "of-feature";

/// The rows of a group of members that do not see all cuts.
#[derive(Debug, Clone, Default)]
pub struct RowMap {
    /// The row of each feature, [`NOWHERE`] for one that was not seen; nothing as long as nothing was cut.
    rows: Vec<u32>,
    /// Whether something was.
    cut: bool,
    /// Rows that there are.
    count: u32,
    /// The rows of an example's features, in memory that is used again.
    example: Vec<u32>,
}

impl RowMap {
    /// Whether text was cut in several ways, so that rows have numbers of their own.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// The row of a feature; [`NOWHERE`] if it has none.
    #[inline]
    fn row(&self, feature: u32) -> u32 {
        match self.cut {
            true => self.rows.get(feature as usize).copied().unwrap_or(NOWHERE),
            false => feature,
        }
    }

    /// The row of a feature, where one without a row has the place behind all of them.
    pub(super) fn place(&self, feature: usize) -> usize {
        u32::try_from(feature).map_or(usize::MAX, |feature| self.row(feature) as usize)
    }

    /// An example with rows in the place of its features, those that have none made now; `cut` if some of its features were
    /// cut from text.
    pub(super) fn meet<'a>(&'a mut self, x: SparseVec<'a>, cut: bool) -> SparseVec<'a> {
        if cut && !self.cut {
            self.begin_cut();
        }
        if !self.cut {
            self.count = self.count.max(x.dimension().min(MOST_FEATURES) as u32);
            return x;
        }
        let Self { rows, count, example, .. } = self;
        let missing = x.dimension().min(MOST_FEATURES).saturating_sub(rows.len());
        rows.extend(repeat_n(NOWHERE, missing));
        example.clear();
        example.extend(x.ids().iter().map(|&id| match rows.get_mut(id as usize) {
            Some(row) if *row == NOWHERE => {
                *row = *count;
                *count += 1;
                *row
            }
            Some(row) => *row,
            // The table refuses it.
            None => id,
        }));
        SparseVec::of_finite(example, x.values())
    }

    /// An example with rows in the place of its features; `rows` is memory for it.
    pub(super) fn find<'a>(&self, x: SparseVec<'a>, rows: &'a mut Vec<u32>) -> SparseVec<'a> {
        if !self.cut {
            return x;
        }
        rows.clear();
        rows.extend(x.ids().iter().map(|&id| self.row(id)));
        SparseVec::of_finite(rows, x.values())
    }

    /// Calls `ask` with the rows of features, as far as they have one.
    pub(super) fn prefetch(&self, ids: &[u32], mut ask: impl FnMut(&[u32])) {
        if self.cut {
            ids.iter().map(|&id| self.row(id)).filter(|&row| row != NOWHERE).for_each(|row| ask(&[row]));
        } else {
            ask(ids);
        }
    }

    /// Takes in the rows of a part that is merged, in which feature i is called `features[i]` here; for each of its rows what it
    /// is called here.
    pub(super) fn absorb(&mut self, part: &Self, features: &[u32]) -> Vec<u32> {
        if part.cut && !self.cut {
            self.begin_cut();
        }
        let mut renamed = vec![NOWHERE; part.count as usize];
        for (feature, &place) in (0..).zip(features).filter(|(_, place)| **place != NOWHERE) {
            if let Some(own) = renamed.get_mut(part.row(feature) as usize) {
                *own = self.claim(place);
            }
        }
        renamed
    }

    /// The row of a feature, made now if it has none.
    fn claim(&mut self, feature: u32) -> u32 {
        if !self.cut {
            self.count = self.count.max(feature + 1);
            return feature;
        }
        let missing = (feature as usize + 1).saturating_sub(self.rows.len());
        self.rows.extend(repeat_n(NOWHERE, missing));
        let row = &mut self.rows[feature as usize];
        if *row == NOWHERE {
            *row = self.count;
            self.count += 1;
        }
        *row
    }

    /// From now on rows have numbers of their own.
    fn begin_cut(&mut self) {
        self.rows.extend(0..self.count);
        self.cut = true;
    }

    /// The same for a model in which feature i is called `features[i]`, and in the order of its rows the features here. Those
    /// that are called [`NOWHERE`] are left out. None while the row of a feature is its index.
    #[must_use]
    pub fn only(&self, features: &[u32]) -> Option<(Self, Vec<usize>)> {
        if !self.cut {
            return None;
        }
        let mut own = Self { cut: true, ..Self::default() };
        own.absorb(self, features);
        let mut order = vec![0; own.count as usize];
        for (feature, &place) in features.iter().enumerate().filter(|(_, place)| **place != NOWHERE) {
            if let Some(slot) = order.get_mut(own.row(place) as usize) {
                *slot = feature;
            }
        }
        Some((own, order))
    }

    /// Everything, as named tensors.
    #[must_use]
    pub fn save(&self) -> State<'_> {
        let mut state = State::default();
        state.put_counts(COUNT, &[self.count.into()]);
        if self.cut {
            state.put(ROWS, Tensor::U32(self.rows[..].into()));
        }
        state
    }

    /// What [`RowMap::save`] gave.
    pub(super) fn restored(mut state: State<'_>) -> Result<Self> {
        let [count] = state.take_counts(COUNT)?;
        let cut = state.has(ROWS);
        let rows = if cut { state.take_u32(ROWS)? } else { Vec::new() };
        state.finish()?;
        let count = u32::try_from(count).ok().filter(|&count| count as usize <= MOST_FEATURES);
        let count = count.ok_or_else(|| damaged(COUNT, "there are never so many rows"))?;
        let mut owned = vec![false; rows.len().min(count as usize)];
        for &row in rows.iter().filter(|row| **row != NOWHERE) {
            let owner = owned.get_mut(row as usize).filter(|owned| !**owned);
            *owner.ok_or_else(|| damaged(ROWS, "a row belongs to one feature"))? = true;
        }
        if cut && owned.len() < count as usize {
            return Err(damaged(ROWS, "there are rows of no feature"));
        }
        Ok(Self { rows, cut, count, example: Vec::new() })
    }
}
