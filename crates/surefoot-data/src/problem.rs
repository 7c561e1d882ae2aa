//! What can be wrong with the content of one example, whatever its format, and with one that a model is to learn from.

use surefoot_core::LARGEST_WEIGHT;
use thiserror::Error;

use crate::encode::labels::LabelProblem;

/// Why an example cannot be used. The reader adds file and line.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum FeatureProblem {
    /// A value is not a number, or infinite.
    #[error("feature '{name}' has the value {value}; values must be finite numbers")]
    NotFinite {
        /// The feature.
        name: String,
        /// Its value, after repeated features are summed.
        value: f64,
    },
    /// An importance weight that is negative, not a number or too large.
    #[error("the importance weight is {0:?}; it must be a number from 0 to {most:e}", most = LARGEST_WEIGHT)]
    Weight(f64),
    /// Bytes that are not text where a name is expected.
    #[error("the {what} '{found}' is not valid UTF-8; convert the file to UTF-8")]
    NotUtf8 {
        /// What it names: a feature, a namespace, a label.
        what: &'static str,
        /// The bytes, with replacement characters, and cut if they are many.
        found: String,
    },
    /// A name where the feature space takes integers only.
    #[error(
        "found {} where integer features were expected; is this file of the kind that the model was trained on? \
         (A new model takes names with the dictionary or the hashed feature space)",
        if .0.is_empty() { "running text".to_owned() } else { format!("the feature name '{}'", .0) }
    )]
    NameAmongIntegers(String),
    /// The one integer that is kept for the bias.
    #[error("feature id {} is reserved; ids go up to {}", u64::MAX, u64::MAX - 1)]
    ReservedId,
    /// An example so large that it is surely an accident.
    #[error(
        "the example has more than {limit} features or too many bytes of names; use shorter n-grams or fewer \
         interactions"
    )]
    TooLarge {
        /// The most features that an example may have.
        limit: usize,
    },
}

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
    /// Its features cannot be scaled.
    #[error(transparent)]
    Scale(surefoot_core::Error),
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
    pub(crate) limit: usize,
    pub(crate) standardize: bool,
}
