//! What can be wrong with an example that a model is to learn from.

use thiserror::Error;

use super::labels::LabelProblem;

/// Why an example cannot be learned from. Nothing has changed then.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum EncodeProblem {
    /// Its importance weight is no weight.
    #[error(transparent)]
    Weight(surefoot_core::Error),
    /// Its label is none that can be learned from.
    #[error(transparent)]
    Labels(#[from] LabelProblem),
    /// A value is not a number, or infinite.
    #[error("feature '{name}' has the value {value}; values must be finite numbers")]
    Value {
        /// The feature.
        name: String,
        /// Its value.
        value: f64,
    },
    /// Its features do not fit into the index.
    #[error(transparent)]
    Full(#[from] IndexFull),
}

/// There are more features than can be indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "more than {limit} features; {}",
    if *standardize { "standardising makes every example dense: use scale=rms for so many" }
    else { "use the hashed feature space" }
)]
pub struct IndexFull {
    pub(super) limit: usize,
    pub(super) standardize: bool,
}
