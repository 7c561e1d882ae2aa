//! Rust's errors as the exceptions that Python expects.

use pyo3::PyErr;
use pyo3::exceptions::{PyOverflowError, PyValueError};

/// Everything that can be wrong with settings or data is a `ValueError` there, with the same message.
pub fn value(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A learner's refusal: a store that would outgrow its limit is an `OverflowError`, the rest a `ValueError`.
pub fn refusal(error: surefoot::Error) -> PyErr {
    match error {
        surefoot::Error::Learner(surefoot::core::Error::TooLarge { .. }) => {
            PyOverflowError::new_err(error.to_string())
        }
        other => value(other),
    }
}
