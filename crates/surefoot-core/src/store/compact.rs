//! The compact store: the diagonal one in single precision. Half the memory for the same errors.
//!
//! A round waits for memory more than for arithmetic, so cells of half the size are also faster where a table is larger
//! than the caches. Means and variances are rounded to 24 binary digits when they are stored and never in between. A
//! variance stops shrinking when a step would take less than 2⁻²⁵ of it, which is after some ten million steps of one
//! weight; what an exponent of 8 bits cannot hold stays at the end of the range.

use super::diagonal::{self, Diagonal};
use super::{Precision, StoreSpec};

/// One (mean, variance) a weight in single precision.
///
/// ```
/// use surefoot_core::{Scores, Spec, Target, Task, Vector};
/// let x = Vector::from_pairs([(0, 1.0), (5, 1.0)])?;
/// let mut weights = Vec::new();
/// for store in ["compact", "diagonal"] {
///     let mut learner = Spec::parse(&format!("arow/{store}:r=0.1"))?.build(Task::Binary, 2)?;
///     learner.update(x.features(), Target::Class(1), 1.0, &mut Scores::default())?;
///     weights.push(learner.weight(0, 5, 0).unwrap().mean);
/// }
/// assert!(weights[0] != weights[1] && (weights[0] / weights[1] - 1.0).abs() < 1e-7);
/// # Ok::<(), surefoot_core::Error>(())
/// ```
pub type Compact = Diagonal<f32>;

/// The entry in the list of stores.
pub static SPEC: StoreSpec = StoreSpec {
    name: "compact",
    title: "A mean and a variance a weight in single precision: half the memory of diagonal",
    side_by_side: Some(Precision::Single),
    build: diagonal::build::<f32>,
    ..diagonal::SPEC
};
