//! What a learner takes: indices and values of one example.

use surefoot_core::SparseVec as SparseVec;

/// One example for a learner, reused from round to round.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Indices of the features.
    pub ids: Vec<u32>,
    /// Their values.
    pub values: Vec<f64>,
    /// The same values laid out by index, while dense columns are standardised.
    pub(super) dense: Vec<f64>,
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

/// What makes the Euclidean length of a row 1; 1 if it has no length.
pub(super) fn unit_divisor(values: &[f64]) -> f64 {
    let length = length(values);
    if length > 0.0 { length } else { 1.0 }
}

fn length(values: &[f64]) -> f64 {
    let sum = sum_of_squares(values);
    if (1e-280..1e280).contains(&sum) {
        return sum.sqrt();
    }
    // Squares that left the range of numbers: take the largest value out first.
    let largest = values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    let parts: f64 = values.iter().map(|value| (value / largest).powi(2)).sum();
    if largest == 0.0 { 0.0 } else { largest * parts.sqrt() }
}

/// Four sums side by side, then one: a fixed order of additions that still lets the processor overlap them.
fn sum_of_squares(values: &[f64]) -> f64 {
    let mut lanes = [0.0; 4];
    let chunks = values.chunks_exact(4);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane += value * value;
        }
    }
    for (lane, value) in lanes.iter_mut().zip(rest) {
        *lane += value * value;
    }
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}
