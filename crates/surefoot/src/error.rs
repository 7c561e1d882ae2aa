//! One error for everything the product can refuse.

use surefoot_data::model_file::ModelError;
use surefoot_data::{LabelProblem, RecipeProblem, SpaceFull};

/// Why something could not be done. The message says where, what was found and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The data cannot be read.
    #[error(transparent)]
    Data(#[from] surefoot_data::Error),
    /// A model file cannot be read or written.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Settings that a learner does not take, or an example it cannot learn from.
    #[error(transparent)]
    Learner(#[from] surefoot_core::Error),
    /// Settings of the features that cannot be used.
    #[error(transparent)]
    Recipe(#[from] RecipeProblem),
    /// Labels that do not fit the task.
    #[error(transparent)]
    Labels(#[from] LabelProblem),
    /// An example to learn from that has no label.
    #[error(
        "no label to learn from; predict takes such lines, and --on-bad-line skip leaves them out of training"
    )]
    NoLabel,
    /// One example of a file.
    #[error("{file}:{line}: {problem}")]
    Example {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        problem: String,
    },
    /// More features than can be indexed.
    #[error(transparent)]
    Space(#[from] SpaceFull),
    /// Anything else, in words.
    #[error("{0}")]
    Other(String),
}

/// Shorthand for results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
