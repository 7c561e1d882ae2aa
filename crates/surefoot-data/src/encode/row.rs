//! What a learner takes: indices and values of one example.

use surefoot_core::SparseVec;

use super::index::FoundFeatures;

/// One example for a learner, reused from round to round.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Indices of the features.
    pub ids: Vec<u32>,
    /// Their values.
    pub values: Vec<f64>,
    /// The same values laid out by index, while dense columns are standardised.
    pub(super) dense: Vec<f64>,
    /// Where the features stand in the index, while an example to predict is encoded.
    pub(super) found: FoundFeatures,
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
    }

    /// The vector for a learner; refuses values that are NaN or infinite, which no reader gives.
    pub fn vector(&self) -> surefoot_core::Result<SparseVec<'_>> {
        SparseVec::new(&self.ids, &self.values)
    }

    pub(super) fn push(&mut self, id: u32, value: f64) {
        self.ids.push(id);
        self.values.push(value);
    }

    /// Lays the values out by index, for columns `0..columns`.
    pub(super) fn spread(&mut self, columns: usize) {
        self.dense.clear();
        self.dense.resize(columns, 0.0);
        for (&id, &value) in self.ids.iter().zip(&self.values) {
            if let Some(column) = self.dense.get_mut(id as usize) {
                *column = value;
            }
        }
    }
}
