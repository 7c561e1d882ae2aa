//! One error for everything the product can refuse.

use surefoot_data::model_file::ModelError;
use surefoot_data::{Batch, EncodeProblem, Example, FeatureProblem, IndexFull, LabelProblem, RecipeProblem};

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
        /// What is wrong with it.
        problem: Box<Error>,
    },
    /// More features than can be indexed.
    #[error(transparent)]
    Index(#[from] IndexFull),
    /// Features that a model cannot take.
    #[error(transparent)]
    Features(#[from] FeatureProblem),
    /// Anything else, in words.
    #[error("{0}")]
    Other(String),
}

impl From<EncodeProblem> for Error {
    fn from(problem: EncodeProblem) -> Self {
        match problem {
            EncodeProblem::Labels(problem) => problem.into(),
            EncodeProblem::Full(problem) => problem.into(),
            EncodeProblem::Weight(problem) => problem.into(),
            other => Error::Other(other.to_string()),
        }
    }
}

impl Error {
    /// Says which example it was, if that helps.
    pub(crate) fn at(self, batch: &Batch, example: &Example<'_>) -> Self {
        match self {
            Error::Labels(_) | Error::NoLabel | Error::Learner(_) | Error::Index(_) | Error::Other(_) => {
                let (file, line) = (batch.file().to_string(), example.line);
                Error::Example { file, line, problem: Box::new(self) }
            }
            other => other,
        }
    }
}

/// Shorthand for results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
