//! What a model says of rows. Nothing here changes it, so any number of threads may ask.

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use surefoot::data::Batch;
use surefoot::{Error, Predictor};

use crate::error::{refusal_in_row, value};
use crate::model::Model;
use crate::row_reader::RowReader;
use crate::rows::{PyRows, RowSource};
use crate::weights::PyMatrix;

/// Calls `each` after every row's prediction, with the interpreter released.
fn for_rows(
    py: Python<'_>,
    model: &Model,
    rows: &dyn RowSource,
    mut each: impl FnMut(&mut Predictor<'_>) + Send,
) -> PyResult<()> {
    py.detach(|| {
        let mut reader = RowReader::unlabelled(rows, model.plan.clone());
        let model = model.read()?;
        let (mut batch, mut predictor) = (Batch::new(), Predictor::new(&model));
        while reader.fill(&mut batch).map_err(|error| refusal_in_row(Error::Data(error)))? {
            for example in batch.iter() {
                predictor.predict(&example.features);
                each(&mut predictor);
            }
        }
        Ok(())
    })
}

/// One list of numbers a row, as a matrix.
fn matrix<'py>(py: Python<'py>, rows: usize, numbers: Vec<f64>) -> PyResult<PyMatrix<'py>> {
    let columns = numbers.len().checked_div(rows).unwrap_or(0);
    Array2::from_shape_vec((rows, columns), numbers).map(|array| array.into_pyarray(py)).map_err(value)
}

#[pymethods]
impl Model {
    /// The class of each row; −1 before any class is known.
    fn classes<'py>(&self, py: Python<'py>, rows: PyRows<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let source = rows.source()?;
        let mut out = Vec::with_capacity(source.len());
        for_rows(py, self, &*source, |predictor| {
            out.push(predictor.prediction().label.map_or(-1, |class| class as i64));
        })?;
        Ok(out.into_pyarray(py))
    }

    /// The calibrated logits: one number a row for two classes, otherwise one a class.
    fn logits<'py>(&self, py: Python<'py>, rows: PyRows<'py>) -> PyResult<PyMatrix<'py>> {
        self.numbers(py, rows, |predictor, out| predictor.prediction().logits(out))
    }

    /// The calibrated probability of every class.
    fn probabilities<'py>(&self, py: Python<'py>, rows: PyRows<'py>) -> PyResult<PyMatrix<'py>> {
        self.numbers(py, rows, |predictor, out| out.extend_from_slice(predictor.probabilities()))
    }

    /// The papers' vote of every class.
    fn votes<'py>(&self, py: Python<'py>, rows: PyRows<'py>) -> PyResult<PyMatrix<'py>> {
        self.numbers(py, rows, |predictor, out| out.extend_from_slice(predictor.votes()))
    }

    /// Mean and variance of the score: one number a row for two classes, otherwise one a class.
    fn moments<'py>(&self, py: Python<'py>, rows: PyRows<'py>) -> PyResult<(PyMatrix<'py>, PyMatrix<'py>)> {
        let source = rows.source()?;
        let (mut means, mut variances) = (Vec::new(), Vec::new());
        // The members' scores are not on one scale, and those of an ensemble have no variance of their own.
        let ensemble = py.detach(|| Ok::<_, PyErr>(self.read()?.learner_spec().is_ensemble()))?;
        for_rows(py, self, &*source, |predictor| {
            let start = means.len();
            means.extend_from_slice(&predictor.prediction().scores);
            if !ensemble {
                // Two classes have one score, and both its variance.
                variances.extend(predictor.variances().iter().take(means.len() - start));
            }
            variances.resize(means.len(), 0.0);
        })?;
        Ok((matrix(py, source.len(), means)?, matrix(py, source.len(), variances)?))
    }

    /// The probabilities of one dict, by class.
    fn probabilities_of_dict(&self, x: &Bound<'_, PyDict>) -> PyResult<Vec<f64>> {
        self.with_dict(x, |batch| {
            let model = self.read()?;
            let mut predictor = Predictor::new(&model);
            predictor.predict(&batch.example(0).features);
            Ok(predictor.probabilities().to_vec())
        })
    }

    /// The class of one dict.
    fn class_of_dict(&self, x: &Bound<'_, PyDict>) -> PyResult<Option<usize>> {
        self.with_dict(x, |batch| {
            Ok(Predictor::new(&*self.read()?).predict(&batch.example(0).features).label)
        })
    }
}

impl Model {
    /// What every row's prediction comes to.
    fn numbers<'py>(
        &self,
        py: Python<'py>,
        rows: PyRows<'py>,
        of: fn(&mut Predictor<'_>, &mut Vec<f64>),
    ) -> PyResult<PyMatrix<'py>> {
        let source = rows.source()?;
        let (mut out, mut numbers) = (Vec::new(), Vec::new());
        for_rows(py, self, &*source, |predictor| {
            numbers.clear();
            of(predictor, &mut numbers);
            out.extend_from_slice(&numbers);
        })?;
        matrix(py, source.len(), out)
    }
}
