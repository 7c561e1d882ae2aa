//! What the papers' tables and figures need beyond the product.

use surefoot_core::{Result, Vector};
use surefoot_data::Point;

/// A generated point as a learner takes it: features from 0, class 1 for a positive label.
pub fn example(point: &Point) -> Result<(Vector, usize)> {
    let pairs = point.ids.iter().zip(&point.values).map(|(&id, &value)| (id as u32 - 1, value));
    Ok((Vector::from_pairs(pairs)?, usize::from(point.label > 0)))
}
