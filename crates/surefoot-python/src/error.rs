//! Rust's errors as the exceptions that Python expects.

use pyo3::PyErr;
use pyo3::exceptions::{PyOverflowError, PyRuntimeError, PyValueError};
use surefoot::{Error, data};

/// Everything that can be wrong with settings or data is a `ValueError` there, with the same message.
pub fn value(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A refusal: a store that would outgrow its limit is an `OverflowError`, the rest a `ValueError`.
pub fn refusal(error: Error) -> PyErr {
    let text = error.to_string();
    of_kind(&error, text)
}

/// A refusal in the middle of rows.
pub fn refusal_in_row(error: Error) -> PyErr {
    let text = in_row(&error);
    of_kind(&error, text)
}

/// A refusal in the middle of learning, which says what has been learned: those rows must not be given again.
pub fn refusal_after(error: Error, learned: u64) -> PyErr {
    let text = format!("{} ({learned} rows of this call were learned before it)", in_row(&error));
    of_kind(&error, text)
}

/// What a call gets that comes after a panic in the middle of another one.
pub fn half_made() -> PyErr {
    PyRuntimeError::new_err(
        "an earlier call ended in the middle of an update, so this model may be half-made; load or train it again",
    )
}

/// The message with the number of the row, from 0, in the place of a file and a line.
fn in_row(error: &Error) -> String {
    match error {
        Error::Example { line, problem, .. } => format!("row {}: {problem}", line - 1),
        Error::Data(data::Error::Line { line, fault, .. }) => format!("row {}: {}", line - 1, fault.trouble),
        other => other.to_string(),
    }
}

fn of_kind(error: &Error, text: String) -> PyErr {
    match error {
        Error::Example { problem, .. } => of_kind(problem, text),
        Error::Learner(surefoot::core::Error::TooLarge { .. }) => PyOverflowError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}
