//! What the papers' tables and figures need beyond the product.

use surefoot_core::{Result, Vector};
use surefoot_data::Point;

pub mod sigma_side;

/// A generated point as a learner takes it: features from 0, class 1 for a positive label.
pub fn example(point: &Point) -> Result<(Vector, usize)> {
    let pairs = point.ids.iter().zip(&point.values).map(|(&id, &value)| (id as u32 - 1, value));
    Ok((Vector::from_pairs(pairs)?, usize::from(point.label > 0)))
}

/// Mean and its standard error.
#[must_use]
pub fn summary(numbers: &[f64]) -> (f64, f64) {
    let n = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / n;
    let squares: f64 = numbers.iter().map(|x| (x - mean) * (x - mean)).sum();
    (mean, (squares / (n - 1.0) / n).sqrt())
}
