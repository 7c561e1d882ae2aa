//! Root mean square of each feature's non-zero values.
//!
//! Zeros do not count: an example then costs its non-zeros and nothing more, rare features are not blown up, and binary
//! features stay as they are.

use std::borrow::Cow;

use super::{LARGEST, ratio, take_sizes};
use crate::state::{State, StateProblem, Tensor};
use crate::vectors::Vectors;

const SQUARES: &str = "scale.squares";
const COUNTS: &str = "scale.counts";

/// By index: the mean square of the values met, and how many there were.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rms {
    squares: Vec<f64>,
    counts: Vec<f64>,
}

impl Rms {
    pub(super) fn learn(&mut self, features: usize, example: &Vectors) {
        self.squares.resize(features, 0.0);
        self.counts.resize(features, 0.0);
        for (&id, value) in example.ids.iter().zip(&example.values) {
            let at = id as usize;
            let value = value.abs().min(LARGEST);
            self.counts[at] += 1.0;
            self.squares[at] += (value * value - self.squares[at]) / self.counts[at];
        }
    }

    pub(super) fn apply(&self, example: &mut Vectors) {
        for (&id, value) in example.ids.iter().zip(&mut example.values) {
            // Squares of tiny values vanish; such a value is of the size of its past, as the first one is.
            let square = self.squares.get(id as usize).copied().unwrap_or(0.0);
            *value = if square > 0.0 { ratio(*value, square.sqrt()) } else { 1f64.copysign(*value) };
        }
    }

    pub(super) fn export<'a>(&'a self, state: &mut State<'a>) {
        state.put(SQUARES, Tensor::F64(Cow::Borrowed(&self.squares)));
        state.put(COUNTS, Tensor::F64(Cow::Borrowed(&self.counts)));
    }

    pub(super) fn import(features: usize, state: &mut State<'_>) -> Result<Self, StateProblem> {
        let squares = take_sizes(state, SQUARES, features)?;
        let counts = take_sizes(state, COUNTS, features)?;
        StateProblem::check_length(COUNTS, counts.len(), squares.len())?;
        Ok(Rms { squares, counts })
    }
}
