//! The full store as tensors: blocks one after the other, waiting columns as they are.
//!
//! Flushing before a save would round differently from flushing later, and a checkpoint must change nothing.

use super::super::parts::Parts;
use super::{FullBlock, HINT, MOST_FEATURES, Triangle, check_limit, packed};
use crate::state::{State, Tensor, negative_variance};
use crate::{Error, Result};

pub(super) fn save(blocks: &[FullBlock]) -> State<'_> {
    let mut state = State::default();
    let counts = |of: fn(&FullBlock) -> usize| blocks.iter().map(|b| of(b) as u64).collect::<Vec<_>>();
    state.put_counts("features", &counts(FullBlock::dimension));
    state.put_counts("waiting", &counts(|b| b.betas.len()));
    let numbers = |of: fn(&FullBlock) -> &[f64]| Tensor::F64(blocks.iter().flat_map(of).copied().collect());
    state.put("mean", numbers(|b| &b.mean));
    state.put("covariance", numbers(|b| b.covariance.packed()));
    state.put("beta", numbers(|b| &b.betas));
    let columns = blocks.iter().flat_map(|b| &b.columns[..b.betas.len()]).flatten();
    state.put("column", Tensor::F64(columns.copied().collect()));
    state.put("shrink", Tensor::F64(blocks.iter().map(|b| b.shrink).collect()));
    state
}

pub(super) fn restore(mut state: State<'_>) -> Result<Vec<FullBlock>> {
    let (features, waiting) = (state.take_u64("features")?, state.take_u64("waiting")?);
    if features.len() != waiting.len() {
        return Err(Error::State("`features` and `waiting` have different sizes".into()));
    }
    let mut saved = SavedFull {
        mean: Parts::numbers(&mut state, "mean")?,
        covariance: Parts::numbers(&mut state, "covariance")?,
        beta: Parts::numbers(&mut state, "beta")?,
        column: Parts::numbers(&mut state, "column")?,
        shrink: Parts::numbers(&mut state, "shrink")?,
    };
    state.finish()?;
    let blocks = features.iter().zip(waiting).map(|(&d, waiting)| saved.block(d, waiting)).collect();
    saved.finish()?;
    blocks
}

/// What is left of the tensors.
struct SavedFull {
    mean: Parts<f64>,
    covariance: Parts<f64>,
    beta: Parts<f64>,
    column: Parts<f64>,
    shrink: Parts<f64>,
}

impl SavedFull {
    fn block(&mut self, features: u64, waiting: u64) -> Result<FullBlock> {
        let dimension = usize::try_from(features).unwrap_or(usize::MAX);
        check_limit("the features of a full covariance", dimension, MOST_FEATURES, HINT)?;
        let covariance = Triangle::new(self.covariance.take(packed(dimension) as u64)?, dimension);
        if (0..dimension).any(|feature| covariance.diagonal(feature) < 0.0) {
            return Err(negative_variance("covariance"));
        }
        Ok(FullBlock {
            mean: self.mean.take(features)?,
            covariance,
            betas: self.beta.take(waiting)?,
            columns: (0..waiting).map(|_| self.column.take(features)).collect::<Result<_>>()?,
            shrink: self.shrink.take(1)?.iter().sum(),
        })
    }

    fn finish(&self) -> Result<()> {
        let Self { mean, covariance, beta, column, shrink } = self;
        [mean, covariance, beta, column, shrink].into_iter().try_for_each(Parts::finish)
    }
}
