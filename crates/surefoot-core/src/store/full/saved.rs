//! The full store as tensors: blocks one after the other, waiting columns as they are.
//!
//! Flushing before a save would round differently from flushing later, and a checkpoint must change nothing.

use super::super::parts::{Parts, take_sizes};
use super::{FullBlock, HINT, MOST_FEATURES, Triangle, check_limit, packed};
use crate::Result;
use crate::state::{State, Tensor, negative_variance};

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
    let sizes = take_sizes(&mut state, ["features", "waiting"])?;
    Parts::new(state, &["mean", "covariance", "beta", "column", "shrink"], &[])?.blocks(sizes, block)
}

fn block(parts: &mut Parts, [features, waiting]: [u64; 2]) -> Result<FullBlock> {
    let dimension = usize::try_from(features).unwrap_or(usize::MAX);
    check_limit("the features of a full covariance", dimension, MOST_FEATURES, HINT)?;
    let covariance = Triangle::new(parts.numbers("covariance", packed(dimension) as u64)?, dimension);
    if (0..dimension).any(|feature| covariance.diagonal(feature) < 0.0) {
        return Err(negative_variance("covariance"));
    }
    Ok(FullBlock {
        mean: parts.numbers("mean", features)?,
        covariance,
        betas: parts.numbers("beta", waiting)?,
        columns: (0..waiting).map(|_| parts.numbers("column", features)).collect::<Result<_>>()?,
        shrink: parts.numbers("shrink", 1)?.iter().sum(),
    })
}
