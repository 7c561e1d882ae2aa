//! How the program fails: what it says and with which exit code.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use crate::output;

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub enum Failure {
    /// The command cannot be carried out as it was typed: exit code 2.
    Usage(String),
    /// The data or a model is bad, or the system refused: exit code 1.
    Data(String),
    /// The reader of our output has seen enough: no error.
    Closed,
}

/// Shorthand for the results of commands.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// Says what went wrong and gives the exit code.
    pub fn exit(self) -> ExitCode {
        match self {
            Self::Usage(text) => {
                output::error(&format!("error: {text}\n\nFor more information, try '--help'."));
                ExitCode::from(2)
            }
            Self::Data(text) => {
                output::error(&format!("error: {text}"));
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
    pub fn writing(path: &Path, error: &io::Error) -> Self {
        in_file(path, error).into()
    }
}

impl From<surefoot::Error> for Failure {
    fn from(error: surefoot::Error) -> Self {
        match error {
            surefoot::Error::Data(surefoot::data::Error::Io { source, .. })
                if source.kind() == io::ErrorKind::BrokenPipe || is_named(&source) =>
            {
                source.into()
            }
            surefoot::Error::Recipe(_)
            | surefoot::Error::Data(surefoot::data::Error::Settings(_))
            | surefoot::Error::Labels(surefoot::data::LabelProblem::Twice(_)) => {
                Self::Usage(error.to_string())
            }
            _ => Self::Data(error.to_string()),
        }
    }
}

/// An error that says which file it is about.
#[derive(Debug)]
struct Named(String);

impl std::fmt::Display for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Named {}

/// The error with the name of its file.
pub fn in_file(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), Named(format!("{}: {error}", path.display())))
}

fn is_named(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Named>())
}

/// Only standard output is written without a name; see [`in_file`] for files.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ if is_named(&error) => Self::Data(error.to_string()),
            _ => Self::Data(format!("standard output: {error}")),
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        io::Error::from(error).into()
    }
}
