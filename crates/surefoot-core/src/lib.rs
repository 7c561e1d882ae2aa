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
//! A round has two halves. The [`Learner`] scores the example and moves its weights; the [`Head`] turns the scores into a
//! prediction and learns how far to trust them. A whole program:
//!
//! ```
//! use surefoot_core::{Learner, LearnerSpec, Prediction, Scores, Target, Task, Vector};
//!
//! fn main() -> surefoot_core::Result<()> {
//!     let spec = LearnerSpec::parse("arow:r=0.1")?;
//!     let (mut learner, mut head) = (spec.build(Task::Binary, 2, false)?, spec.head(Task::Binary)?);
//!     let spam = Vector::from_pairs([(0, 1.0), (2, 1.0)])?;
//!     let mail = Vector::from_pairs([(1, 1.0), (2, 1.0)])?;
//!     let (mut scores, mut prediction) = (Scores::default(), Prediction::default());
//!     for (x, class) in [(&spam, 1), (&mail, 0), (&spam, 1), (&mail, 0)] {
//!         // Predict, then learn: `prediction` knows nothing of this label yet.
//!         learner.update(x.features(), Target::Class(class), 1.0, &mut scores)?;
//!         head.update(&scores, Target::Class(class), 1.0, &mut prediction)?;
//!     }
//!     learner.scores(spam.features(), &mut scores);
//!     head.predict(&scores, &mut prediction);
//!     println!("class {:?} with probability {:.2}", prediction.label, prediction.probability(1));
//!     assert_eq!(prediction.label, Some(1));
//!     Ok(())
//! }
//! ```

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub mod analysis;
pub mod drift;
mod error;
pub mod learner;
pub mod metric;
pub mod normal;
pub mod param;
mod power;
pub mod prefetch;
pub mod probability;
pub mod rule;
mod simd;
pub mod spec;
pub mod state;
pub mod store;
mod vector;
mod view;

/// How a learner sees the values of an example.
pub mod transform {
    pub use crate::view::{
        COLUMN_LIMIT, Cut, Cuts, SCALINGS, Scaling, ScalingSpec, SeenRow, Segments, Transform, View,
        unit_divisor,
    };
}

pub use error::{Error, Result};
pub use learner::{
    Calibration, Ensemble, F1Average, Head, HeadPart, LARGEST_WEIGHT, LabelLink, Learner, LearnerPart,
    LearnerSum, MemberStats, MemberTable, Merging, PartRole, Prediction, RowMap, Scores, TRIAL, Target,
    check_weight, held,
};
pub use spec::{AUTO, AUTO_DENSE, AUTO_TEXT, LearnerSpec, RowKind, Spec, Task};
pub use store::{Store, Weight};
pub use vector::{SparseVec, Vector, all_finite};
