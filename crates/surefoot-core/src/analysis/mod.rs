//! What the papers prove about a run, computed: the confidence loss, the mistake bound, the effective dimension.
//!
//! Nothing here takes part in learning. A [`Certificate`] follows a run of cw-stdev on the full store and puts the
//! bound of `[ECCW]` Theorem 4 next to the number of mistakes; a [`Covariance`] is a dense look at a store's Σ.

mod certificate;
mod covariance;
mod loss;

pub use certificate::{Bounds, Certificate};
pub use covariance::Covariance;
pub use loss::ConfidenceLoss;
