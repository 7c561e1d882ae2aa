//! The mathematics of Surefoot: scalar rules on Gaussian stores.
//!
//! Every learner of the confidence-weighted family does one thing a round. With z the direction that should
//! score positive, m = μ·z and v = zᵀΣz:
//!
//! ```text
//! (m, v) ──rule──► nothing, or a step (alpha, gain)
//! μ   ← μ + alpha · Σz
//! Σ⁻¹ ← Σ⁻¹ + gain · zzᵀ
//! ```
//!
//! A [`rule::Rule`] never sees a vector; a [`store::Store`] never sees a label, a loss or a rule's
//! parameter. A [`learner`] brings the two together. This crate does no I/O, has no clock, no threads, no
//! globals and no randomness that the caller did not seed.
//!
//! ```
//! use surefoot_core::{Learner, Spec, Task, Vector};
//!
//! let mut learner = Spec::parse("cw-stdev/diagonal:confidence=0.9")?.build(Task::Binary)?;
//! let good = Vector::from_pairs([(0, 1.0), (2, 1.0)])?;
//! let bad = Vector::from_pairs([(1, 1.0), (2, 1.0)])?;
//! learner.learn(good.features(), 1, 1.0)?;
//! learner.learn(bad.features(), 0, 1.0)?;
//! assert_eq!(learner.predict(good.features()).label, Some(1));
//! # Ok::<(), surefoot_core::Error>(())
//! ```

pub mod analysis;
mod error;
pub mod learner;
pub mod metric;
pub mod normal;
pub mod param;
mod power;
pub mod prefetch;
pub mod probability;
mod roster;
pub mod rule;
mod simd;
pub mod spec;
pub mod state;
pub mod store;
mod target;
pub mod transform;
mod vector;

pub use error::{Error, Result};
pub use learner::{
    Both, LARGEST_WEIGHT, Learner, Lesson, Moments, Prediction, Round, Sequel, Work, check_weight,
};
pub use roster::{AUTO, AUTO_DENSE, Roster};
pub use spec::{Spec, Task};
pub use target::Target;
pub use vector::{Features, Vector, all_finite};
