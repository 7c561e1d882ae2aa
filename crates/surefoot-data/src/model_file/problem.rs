//! Why a model file cannot be used.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::recipe::RecipeProblem;

/// A problem and the file that has it.
#[derive(Debug, Error)]
#[error("{}: {problem}", path.display())]
pub struct ModelError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    #[source]
    pub problem: ModelProblem,
}

/// What is wrong with a model file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelProblem {
    /// The operating system refuses.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// Not a safetensors file, or a damaged one.
    #[error("not a readable model file: {0}")]
    Container(String),
    /// A safetensors file that something else wrote.
    #[error("a safetensors file, but not a model of Surefoot: its metadata has no `surefoot` entry")]
    Foreign,
    /// A file of another version of the format.
    #[error(
        "format version {found}; this program reads version {known}: use the Surefoot that wrote the file"
    )]
    Version {
        /// The version of the file.
        found: u64,
        /// The version that is understood.
        known: u64,
    },
    /// The header is not that of a model.
    #[error("the header is damaged: {0}")]
    Header(String),
    /// A name stands twice in the header.
    #[error("the header names the tensor `{0}` twice")]
    Duplicate(String),
    /// The numbers are not those that were written.
    #[error("the checksum does not match: the file is damaged (expected {expected}, found {found})")]
    Checksum {
        /// As the header says.
        expected: String,
        /// As the content gives.
        found: String,
    },
    /// What was learned has overflowed.
    #[error(
        "not written: the tensor `{0}` holds a number that is not finite, so the model could not be read again; smaller values, \
         `--normalize l2` or smaller importance weights help"
    )]
    Overflow(String),
    /// The settings stored in it cannot be used.
    #[error(transparent)]
    Recipe(#[from] RecipeProblem),
    /// What is stored in it cannot be rebuilt: a tensor is missing, of the wrong size, or holds impossible numbers.
    #[error(transparent)]
    Learner(#[from] surefoot_core::Error),
}

impl ModelProblem {
    /// Names the file.
    pub fn in_file(self, path: &Path) -> ModelError {
        ModelError { path: path.to_path_buf(), problem: self }
    }
}
