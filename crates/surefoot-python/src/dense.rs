//! A dense matrix of any layout: column j is feature j, zeros are no features.

use numpy::ndarray::ArrayView2;
use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use surefoot::data::{Builder, Sink};

use crate::error::value;
use crate::rows::RowSource;

/// A borrowed matrix of either precision.
pub enum Dense<'py> {
    F32(PyReadonlyArray2<'py, f32>),
    F64(PyReadonlyArray2<'py, f64>),
}

impl<'py> Dense<'py> {
    /// Borrows a 2-d array.
    pub fn new(array: &Bound<'py, PyUntypedArray>) -> PyResult<Self> {
        // Rust reads numbers only at their own boundaries.
        if !array.is_aligned() {
            return Err(value("the array is not aligned"));
        }
        if let Ok(array) = array.cast::<PyArray2<f64>>() {
            return array.try_readonly().map(Self::F64).map_err(value);
        }
        match array.cast::<PyArray2<f32>>() {
            Ok(array) => array.try_readonly().map(Self::F32).map_err(value),
            Err(_) => Err(value("a matrix is a 2-d array of float32 or float64")),
        }
    }

    /// The rows.
    pub fn source(&self) -> Box<dyn RowSource + '_> {
        match self {
            Self::F32(array) => Box::new(array.as_array()),
            Self::F64(array) => Box::new(array.as_array()),
        }
    }
}

impl<D: Copy + Into<f64> + Sync> RowSource for ArrayView2<'_, D> {
    fn len(&self) -> usize {
        self.nrows()
    }

    fn is_finite(&self) -> bool {
        self.iter().fold(true, |fine, &x| fine & x.into().is_finite())
    }

    fn read(&self, row: usize, out: &mut Builder<'_>) {
        let filled = || self.row(row).into_iter().zip(0u64..).filter(|(x, _)| (**x).into() != 0.0);
        out.row(filled().map(|(_, column)| column), filled().map(|(&x, _)| x.into()));
    }
}
