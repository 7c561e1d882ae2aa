//! Rust's errors as the exceptions that Python expects.

use pyo3::PyErr;
use pyo3::exceptions::{PyOverflowError, PyValueError};

use crate::lesson::Place;

/// Everything that can be wrong with settings or data is a `ValueError` there, with the same message.
pub fn value(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A refusal: a store that would outgrow its limit is an `OverflowError`, the rest a `ValueError`.
pub fn refusal(error: surefoot::Error) -> PyErr {
    let text = error.to_string();
    of_kind(&error, text)
}

/// A refusal in the middle of rows.
pub fn refusal_in_row(error: &surefoot::Error, row: usize) -> PyErr {
    of_kind(error, format!("row {row}: {error}"))
}

/// A refusal in the middle of learning, which says what has been learned: those rows must not be given again.
pub fn refusal_at((error, at): (surefoot::Error, Place)) -> PyErr {
    let Place { row, learned } = at;
    of_kind(&error, format!("row {row}: {error} ({learned} rows of this call were learned before it)"))
}

fn of_kind(error: &surefoot::Error, text: String) -> PyErr {
    match error {
        surefoot::Error::Learner(surefoot::core::Error::TooLarge { .. }) => PyOverflowError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}
