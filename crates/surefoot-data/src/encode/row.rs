//! An example as a learner takes it.

use surefoot_core::SparseVec;
use surefoot_core::transform::{SeenRow, Segments};

use super::index::{FoundFeatures, UNKNOWN};
use crate::batch::KeyedFeatures;

/// One example for a learner, reused from round to round.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Indices of the features.
    pub ids: Vec<u32>,
    /// Their values.
    pub values: Vec<f64>,
    /// How many of them were cut from text in each way, if they are kept apart.
    pub(super) segments: Segments,
    /// The same as its scale sees it.
    pub(super) scaled: SeenRow,
    /// Where the features stand in the index, while an example to predict is encoded.
    pub(super) found: FoundFeatures,
    /// Those that were not found, and where they stand now.
    pub(super) keys: Vec<u64>,
    pub(super) again: FoundFeatures,
}

impl Row {
    /// No features.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the features and keeps the memory.
    pub fn clear(&mut self) {
        self.ids.clear();
        self.values.clear();
        self.segments = Segments::default();
    }

    /// How many features of the last example to predict were met before; the bias does not count.
    pub fn known(&self) -> usize {
        self.found.indices.len() - self.found.new.len()
    }

    /// The vector for a learner; refuses values that are NaN or infinite, which no reader gives.
    pub fn vector(&self) -> surefoot_core::Result<SparseVec<'_>> {
        Ok(SparseVec::new(&self.ids, &self.values)?.with_segments(self.segments))
    }

    /// Takes over the values of the features, and leaves those out that have no index.
    pub(super) fn take_values(&mut self, features: &KeyedFeatures<'_>) {
        if !features.segments.has_many() {
            return self.values.extend_from_slice(features.values());
        }
        let mut left = 0;
        let mut end = features.len() - features.segments.len();
        let mut start = 0;
        for cut in [None, Some(0), Some(1), Some(2)] {
            let before = left;
            for at in start..end {
                if self.ids[at] != UNKNOWN {
                    self.ids[left] = self.ids[at];
                    self.values.push(features.values()[at]);
                    left += 1;
                }
            }
            if let Some(cut) = cut {
                self.segments.0[cut] = (left - before) as u32;
            }
            start = end;
            let next = cut.map_or(0, |cut| cut + 1);
            end += features.segments.0.get(next).map_or(0, |&count| count as usize);
        }
        self.ids.truncate(left);
    }

    pub(super) fn push(&mut self, id: u32, value: f64) {
        self.ids.push(id);
        self.values.push(value);
    }
}
