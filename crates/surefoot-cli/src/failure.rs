//! How the program fails: what it says and with which exit code.

use std::io;
use std::process::ExitCode;

use crate::output;

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub enum Failure {
    /// The command cannot be carried out as it was typed: exit code 2.
    Usage(String),
    /// The data or a model is bad, or the system refused: exit code 1.
    Data(String),
    /// Whoever read our output has seen enough: no error.
    Closed,
}

/// Shorthand for the results of commands.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// Says what went wrong and gives the exit code.
    pub fn exit(self) -> ExitCode {
        match self {
            Self::Usage(text) => {
                output::note(&format!("error: {text}\n\nFor more information, try '--help'."));
                ExitCode::from(2)
            }
            Self::Data(text) => {
                output::note(&format!("error: {text}"));
                ExitCode::FAILURE
            }
            Self::Closed => ExitCode::SUCCESS,
        }
    }

    /// Something the user typed that cannot be done.
    pub fn usage(problem: impl ToString) -> Self {
        Self::Usage(problem.to_string())
    }

    /// A file that could not be written.
    pub fn writing(path: &std::path::Path, error: &io::Error) -> Self {
        Self::Data(format!("{}: {error}", path.display()))
    }
}

impl From<surefoot::Error> for Failure {
    fn from(error: surefoot::Error) -> Self {
        match error {
            surefoot::Error::Data(surefoot::data::Error::Io { source, .. })
                if source.kind() == io::ErrorKind::BrokenPipe =>
            {
                Self::Closed
            }
            surefoot::Error::Recipe(_) | surefoot::Error::Data(surefoot::data::Error::Settings(_)) => {
                Self::Usage(error.to_string())
            }
            _ => Self::Data(error.to_string()),
        }
    }
}

/// Only standard output is written without a name; see [`Failure::writing`] for files.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Data(format!("standard output: {error}")),
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        io::Error::from(error).into()
    }
}
