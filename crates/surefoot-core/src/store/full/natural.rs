//! The full store's natural parameters, by Cholesky factors.

use super::{FullBlock, Triangle, packed};
use crate::store::{Cholesky, Gain, NaturalParams, unmergeable};
use crate::{Error, Result};

/// What a block has learned; nothing if it is not there.
pub(super) fn natural_params(block: Option<&FullBlock>, prior: f64) -> Result<NaturalParams> {
    let Some(block) = block else {
        return Ok(NaturalParams { shift: Vec::new(), gain: Gain::Full(Vec::new()) });
    };
    let mut block = block.clone();
    block.flush();
    let factor = factor(block.covariance.packed(), block.dimension())?;
    let mut shift = block.mean.clone();
    factor.solve(&mut shift);
    let mut gain = factor.inverse();
    (0..block.dimension()).for_each(|i| gain[packed(i) + i] -= 1.0 / prior);
    Ok(NaturalParams { shift, gain: Gain::Full(gain) })
}

/// The block that such natural parameters leave.
pub(super) fn block(params: NaturalParams, prior: f64) -> Result<FullBlock> {
    let NaturalParams { shift: mut mean, gain: Gain::Full(mut precision) } = params else {
        return Err(unmergeable());
    };
    let dimension = mean.len();
    precision.resize(packed(dimension), 0.0);
    (0..dimension).for_each(|i| precision[packed(i) + i] += 1.0 / prior);
    let factor = factor(&precision, dimension)?;
    factor.solve(&mut mean);
    Ok(FullBlock { mean, covariance: Triangle::new(factor.inverse(), dimension), ..FullBlock::default() })
}

fn factor(triangle: &[f64], dimension: usize) -> Result<Cholesky> {
    let rows = (0..dimension).map(|i| &triangle[packed(i)..=packed(i) + i]);
    Cholesky::of_rows(rows).ok_or_else(|| {
        Error::Conflict(
            "a covariance is too close to singular to be inverted, so the models cannot be merged".into(),
        )
    })
}
