//! Root mean square of each feature's non-zero values.
//!
//! Zeros do not count: an example then costs its non-zeros and nothing more, rare features are not blown up, and binary
//! features stay as they are.

use super::{LARGEST, ratio, take_sizes};
use crate::encode::Row;
use crate::encode::index::UNKNOWN;
use surefoot_core::state::{State, Tensor, check_length};

const SQUARES: &str = "scale.squares";
const COUNTS: &str = "scale.counts";

/// What is known of one feature's values.
#[derive(Clone, Copy, Debug, Default)]
struct RmsSizes {
    /// Mean of their squares.
    square: f64,
    /// How many there were.
    count: f64,
}

/// The sizes by index.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rms {
    sizes: Vec<RmsSizes>,
}

impl Rms {
    pub(super) fn learn(&mut self, bound: usize, example: &Row) {
        self.sizes.resize(bound, RmsSizes::default());
        for (&id, value) in example.ids.iter().zip(&example.values) {
            let value = value.abs().min(LARGEST);
            let sizes = &mut self.sizes[id as usize];
            sizes.count += 1.0;
            sizes.square += (value * value - sizes.square) / sizes.count;
        }
    }

    pub(super) fn apply(&self, example: &mut Row) {
        for (&id, value) in example.ids.iter().zip(&mut example.values) {
            // Squares of tiny values vanish; such a value is of the size of its past, as the first one is.
            let square = self.sizes.get(id as usize).map_or(0.0, |sizes| sizes.square);
            *value = if square > 0.0 { ratio(*value, square.sqrt()) } else { 1f64.copysign(*value) };
        }
    }

    /// Adds the values that another one met, so many times; its feature i is `features[i]` here.
    pub(super) fn add(&mut self, other: &Rms, features: &[u32], times: f64) {
        for (sizes, &feature) in other.sizes.iter().zip(features).filter(|(_, at)| **at != UNKNOWN) {
            let at = feature as usize;
            self.sizes.resize(self.sizes.len().max(at + 1), RmsSizes::default());
            let (own, more) = (&mut self.sizes[at], times * sizes.count);
            let count = own.count + more;
            own.square =
                if count > 0.0 { (own.square * own.count + sizes.square * more) / count } else { 0.0 };
            (own.square, own.count) = (own.square.max(0.0), count.max(0.0));
        }
    }

    pub(super) fn export(&self, state: &mut State<'_>) {
        state.put(SQUARES, Tensor::F64(self.sizes.iter().map(|sizes| sizes.square).collect()));
        state.put(COUNTS, Tensor::F64(self.sizes.iter().map(|sizes| sizes.count).collect()));
    }

    pub(super) fn import(bound: usize, state: &mut State<'_>) -> surefoot_core::Result<Self> {
        let squares = take_sizes(state, SQUARES, bound)?;
        let counts = take_sizes(state, COUNTS, bound)?;
        check_length(COUNTS, counts.len(), squares.len())?;
        let sizes = squares.into_iter().zip(counts).map(|(square, count)| RmsSizes { square, count });
        Ok(Rms { sizes: sizes.collect() })
    }
}
