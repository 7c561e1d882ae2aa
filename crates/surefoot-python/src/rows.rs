//! Examples as Python holds them, read row by row without copying the whole.

use numpy::PyUntypedArray;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use surefoot::data::{Builder, Sink};

use crate::arrow::ArrowTable;
use crate::csr::Csr;
use crate::dense::Dense;
use crate::dicts::Dicts;

/// Rows that a builder can read while the interpreter does something else.
pub trait RowSource: Sync {
    /// How many rows there are.
    fn len(&self) -> usize;

    /// Refuses what `read` could not read, before anything is learned.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// Whether every value is finite; a builder refuses a row that has others, but only once it meets it.
    fn is_finite(&self) -> bool {
        true
    }

    /// Tells the features of a row below `len` to the builder.
    fn read(&self, row: usize, out: &mut Builder<'_>);
}

/// What Python may pass as rows:
/// a matrix (2-d array of float32 or float64), CSR arrays (`(indptr, indices, data, columns)`), a table of Arrow's
/// columns, a list of strings, or a list of dicts.
pub enum PyRows<'py> {
    Dense(Dense<'py>),
    Csr(Csr<'py>),
    Table(Py<ArrowTable>),
    /// Strings, read where Python keeps them.
    Texts(Vec<PyBackedStr>),
    Dicts(Dicts),
}

impl RowSource for &Vec<PyBackedStr> {
    fn len(&self) -> usize {
        Vec::len(self)
    }

    fn read(&self, row: usize, out: &mut Builder<'_>) {
        out.text(b"", self[row].as_bytes());
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for PyRows<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(parts) = object.cast::<PyTuple>() {
            return Csr::new(&parts.to_owned()).map(Self::Csr);
        }
        if let Ok(array) = object.cast::<PyUntypedArray>() {
            return Dense::new(&array.to_owned()).map(Self::Dense);
        }
        if let Ok(table) = object.cast::<ArrowTable>() {
            return Ok(Self::Table(table.to_owned().unbind()));
        }
        let list = object.cast::<PyList>().map_err(|_| crate::error::value(EXPECTED))?;
        match list.iter().next() {
            Some(first) if first.is_instance_of::<PyDict>() => Dicts::new(&list.to_owned()).map(Self::Dicts),
            Some(first) if !first.is_instance_of::<PyString>() => Err(crate::error::value(EXPECTED)),
            _ => list.iter().map(|text| text.extract()).collect::<PyResult<_>>().map(Self::Texts),
        }
    }
}

const EXPECTED: &str =
    "rows are a 2-d array, CSR arrays, an Arrow table, a list of strings or a list of dicts";

impl PyRows<'_> {
    /// The rows without Python's types; checked.
    pub fn source(&self) -> PyResult<Box<dyn RowSource + '_>> {
        let source: Box<dyn RowSource + '_> = match self {
            Self::Dense(dense) => dense.source(),
            Self::Csr(csr) => csr.source()?,
            Self::Table(table) => Box::new(table.get()),
            Self::Texts(texts) => Box::new(texts),
            Self::Dicts(dicts) => Box::new(dicts),
        };
        source.check().map_err(crate::error::value)?;
        Ok(source)
    }
}
