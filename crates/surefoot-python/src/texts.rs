//! Strings, read where Python keeps them.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyList;
use surefoot::data::Builder;

use crate::rows::RowSource;

/// A list of strings.
pub struct Texts(Vec<PyBackedStr>);

impl Texts {
    /// Borrows every string of a list.
    pub fn new(list: &Bound<'_, PyList>) -> PyResult<Self> {
        list.iter().map(|text| text.extract()).collect::<PyResult<_>>().map(Self)
    }
}

impl RowSource for &Texts {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    fn read(&self, row: usize, out: &mut Builder<'_>) {
        out.text(b"", self.0[row].as_bytes());
    }
}
