//! The arrays of a compressed sparse row matrix, as scipy keeps them.

use std::ops::Range;

use numpy::{Element, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use surefoot::data::{Builder, Sink};

use crate::error::value;
use crate::rows::RowSource;

/// Borrowed arrays of any of the types that scipy uses.
pub struct Csr<'py> {
    places: CsrIndices<'py>,
    data: Data<'py>,
    columns: u64,
}

/// `indptr` and `indices`, which scipy keeps in one type.
enum CsrIndices<'py> {
    I32(PyReadonlyArray1<'py, i32>, PyReadonlyArray1<'py, i32>),
    I64(PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>),
}

enum Data<'py> {
    F32(PyReadonlyArray1<'py, f32>),
    F64(PyReadonlyArray1<'py, f64>),
}

impl<'py> Csr<'py> {
    /// From `(indptr, indices, data, columns)`.
    pub fn new(parts: &Bound<'py, PyTuple>) -> PyResult<Self> {
        let (indptr, indices) = (parts.get_item(0)?, parts.get_item(1)?);
        let places = match borrow::<i32>(&indices) {
            Some(indices) => CsrIndices::I32(borrow(&indptr).ok_or_else(mixed)?, indices),
            None => CsrIndices::I64(borrow(&indptr).ok_or_else(mixed)?, borrow(&indices).ok_or_else(mixed)?),
        };
        let values = parts.get_item(2)?;
        let data = match borrow::<f64>(&values) {
            Some(values) => Data::F64(values),
            None => Data::F32(borrow(&values).ok_or_else(|| value("data is float32 or float64"))?),
        };
        Ok(Self { places, data, columns: parts.get_item(3)?.extract()? })
    }

    /// The rows, generic over the types of both arrays.
    pub fn source(&self) -> PyResult<Box<dyn RowSource + '_>> {
        let columns = self.columns;
        Ok(match (&self.places, &self.data) {
            (CsrIndices::I32(p, i), Data::F32(d)) => Slices::boxed(p, i, d, columns)?,
            (CsrIndices::I32(p, i), Data::F64(d)) => Slices::boxed(p, i, d, columns)?,
            (CsrIndices::I64(p, i), Data::F32(d)) => Slices::boxed(p, i, d, columns)?,
            (CsrIndices::I64(p, i), Data::F64(d)) => Slices::boxed(p, i, d, columns)?,
        })
    }
}

fn borrow<'py, T: Element>(array: &Bound<'py, PyAny>) -> Option<PyReadonlyArray1<'py, T>> {
    array.cast::<PyArray1<T>>().ok().and_then(|array| array.try_readonly().ok())
}

fn mixed() -> PyErr {
    value("indptr and indices are both int32 or both int64")
}

struct Slices<'a, I, D> {
    indptr: &'a [I],
    indices: &'a [I],
    data: &'a [D],
    columns: u64,
}

/// A number of scipy's index arrays; negative ones become huge and so out of range.
fn place(index: impl Into<i64>) -> u64 {
    index.into() as u64
}

impl<'a, I: Copy + Into<i64> + Sync + Element, D: Copy + Into<f64> + Sync + Element> Slices<'a, I, D> {
    fn boxed(
        indptr: &'a PyReadonlyArray1<'_, I>,
        indices: &'a PyReadonlyArray1<'_, I>,
        data: &'a PyReadonlyArray1<'_, D>,
        columns: u64,
    ) -> PyResult<Box<dyn RowSource + 'a>> {
        let slices = Self {
            indptr: indptr.as_slice().map_err(value)?,
            indices: indices.as_slice().map_err(value)?,
            data: data.as_slice().map_err(value)?,
            columns,
        };
        Ok(Box::new(slices))
    }

    fn span(&self, row: usize) -> Range<usize> {
        place(self.indptr[row]) as usize..place(self.indptr[row + 1]) as usize
    }
}

impl<I: Copy + Into<i64> + Sync + Element, D: Copy + Into<f64> + Sync + Element> RowSource
    for Slices<'_, I, D>
{
    fn len(&self) -> usize {
        self.indptr.len().saturating_sub(1)
    }

    fn check(&self) -> Result<(), String> {
        let stored = self.indices.len().min(self.data.len()) as u64;
        let ascending =
            self.indptr.windows(2).fold(true, |fine, pair| fine & (place(pair[0]) <= place(pair[1])));
        if !ascending || self.indptr.last().is_none_or(|&last| place(last) > stored) {
            return Err(format!("indptr does not ascend from 0 to at most {stored}"));
        }
        // No early exit: nearly every matrix passes, and a loop without branches is the faster one.
        let within = self.indices.iter().fold(true, |fine, &index| fine & (place(index) < self.columns));
        if within { Ok(()) } else { Err(format!("a column index is not below {}", self.columns)) }
    }

    fn is_finite(&self) -> bool {
        self.data.iter().fold(true, |fine, &x| fine & x.into().is_finite())
    }

    fn read(&self, row: usize, out: &mut Builder<'_>) {
        let span = self.span(row);
        let ids = self.indices[span.clone()].iter().map(|&index| place(index));
        out.row(ids, self.data[span].iter().map(|&x| x.into()));
    }
}
