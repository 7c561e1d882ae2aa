//! Why a server cannot start, or a model cannot be created.

use std::io;
use std::path::{Path, PathBuf};

/// What went wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Another server has the folder.
    #[error("{0}: another server is using this folder; stop it first, or give this one a folder of its own")]
    InUse(PathBuf),
    /// The journal is damaged where records follow.
    #[error(
        "{file}: damaged at byte {byte}, and records follow: {problem}; `surefoot serve --repair {folder}` keeps what is \
         before it and moves the rest away, or put the file back from a backup"
    )]
    Damaged {
        /// The segment.
        file: PathBuf,
        /// Where the first bad line begins.
        byte: u64,
        /// What is wrong with it.
        problem: String,
        /// The folder of the server.
        folder: PathBuf,
    },
    /// A record that is sound cannot be learned.
    #[error("{file}: {problem}; the journal does not belong to this base model")]
    Replay {
        /// The folder of the journal.
        file: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// The operating system refused.
    #[error("{file}: {source}")]
    Io {
        /// The file or folder.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A model cannot be read, made or learned with.
    #[error(transparent)]
    Model(#[from] surefoot::Error),
    /// A name that no model or version can have.
    #[error(
        "`{0}` is no name for a model: it begins with a letter or digit and has up to 64 letters, digits, '_', '-' and '.'"
    )]
    Name(String),
    /// There is a model of this name already.
    #[error("there is a model `{0}` already")]
    Exists(String),
    /// A model that cannot be served.
    #[error("{0}")]
    Unfit(String),
}

/// Shorthand for results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// What the operating system said of a path.
    pub(crate) fn io(file: &Path) -> impl FnOnce(io::Error) -> Error {
        let file = file.to_path_buf();
        move |source| Error::Io { file, source }
    }
}
