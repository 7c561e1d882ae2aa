//! What a model says of rows. Nothing here changes it, so any number of threads may ask.

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use surefoot::core::probability::Voter;
use surefoot::core::store::Projection;
use surefoot::core::{Features as Numbers, Prediction};
use surefoot::data::{Features, Vectors};

use crate::error::{refusal_in_row, value};
use crate::lesson::Reader;
use crate::model::Model;
use crate::rows::{Rows, Source};
use crate::weights::Matrix;

/// Buffers of a prediction, reused from row to row.
#[derive(Default)]
struct Desk {
    vectors: Vectors,
    prediction: Prediction,
    numbers: Vec<f64>,
    projection: Projection,
}

impl Desk {
    fn predict(&mut self, model: &surefoot::Model, features: &Features<'_>) {
        model.predict_into(features, &mut self.vectors, &mut self.prediction);
    }
}

/// Calls `each` for every row, with the interpreter released.
fn for_rows(
    py: Python<'_>,
    model: &Model,
    rows: &dyn Source,
    mut each: impl FnMut(&surefoot::Model, &Features<'_>, &mut Desk) + Send,
) -> PyResult<()> {
    py.detach(|| {
        let (model, mut desk, mut reader) = (model.read(), Desk::default(), Reader::default());
        let plan = model.plan();
        for row in 0..rows.len() {
            let features = reader.read(rows, row, &plan).map_err(|error| refusal_in_row(&error, row))?;
            each(&model, &features, &mut desk);
        }
        Ok(())
    })
}

/// A model that has met one label so far has one score, as one that tells two apart, but only one class: it is certain.
fn trim(model: &surefoot::Model, numbers: &mut Vec<f64>) {
    if model.learner().classes() == 1 && numbers.len() == 2 {
        *numbers = vec![1.0];
    }
}

/// One list of numbers a row, as a matrix.
fn matrix<'py>(py: Python<'py>, rows: usize, numbers: Vec<f64>) -> PyResult<Matrix<'py>> {
    let columns = numbers.len().checked_div(rows).unwrap_or(0);
    Array2::from_shape_vec((rows, columns), numbers).map(|array| array.into_pyarray(py)).map_err(value)
}

#[pymethods]
impl Model {
    /// The class of each row; −1 before any class is known.
    fn classes<'py>(&self, py: Python<'py>, rows: Rows<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let source = rows.source()?;
        let mut out = Vec::with_capacity(source.len());
        for_rows(py, self, &*source, |model, features, desk| {
            desk.predict(model, features);
            out.push(desk.prediction.label.map_or(-1, |class| class as i64));
        })?;
        Ok(out.into_pyarray(py))
    }

    /// The calibrated logits: one number a row for two classes, otherwise one a class.
    fn logits<'py>(&self, py: Python<'py>, rows: Rows<'py>) -> PyResult<Matrix<'py>> {
        self.numbers(py, rows, Prediction::logits)
    }

    /// The calibrated probability of every class.
    fn probabilities<'py>(&self, py: Python<'py>, rows: Rows<'py>) -> PyResult<Matrix<'py>> {
        self.numbers(py, rows, Prediction::probabilities)
    }

    /// The papers' vote of every class.
    fn votes<'py>(&self, py: Python<'py>, rows: Rows<'py>) -> PyResult<Matrix<'py>> {
        let source = rows.source()?;
        let (mut out, mut voter) = (Vec::new(), Voter::new());
        for_rows(py, self, &*source, |model, features, desk| {
            model.preparer().predict(features, &mut desk.vectors);
            if let Ok(x) = Numbers::new(&desk.vectors.ids, &desk.vectors.values) {
                model.learner().vote_into(x, &mut voter, &mut desk.numbers);
            }
            out.extend_from_slice(&desk.numbers);
        })?;
        matrix(py, source.len(), out)
    }

    /// Mean and variance of the score: one number a row for two classes, otherwise one a class.
    fn moments<'py>(&self, py: Python<'py>, rows: Rows<'py>) -> PyResult<(Matrix<'py>, Matrix<'py>)> {
        let source = rows.source()?;
        let (mut means, mut variances) = (Vec::new(), Vec::new());
        for_rows(py, self, &*source, |model, features, desk| {
            let start = means.len();
            let learner = model.learner();
            if learner.as_bank().is_some() {
                // The members' scores are not on one scale; the bank's own have no variance.
                desk.predict(model, features);
                means.extend_from_slice(&desk.prediction.scores);
                variances.resize(means.len(), 0.0);
                return;
            }
            let blocks = learner.gaussian().blocks();
            means.resize(start + blocks, 0.0);
            variances.resize(start + blocks, 0.0);
            model.preparer().predict(features, &mut desk.vectors);
            if let Ok(x) = Numbers::new(&desk.vectors.ids, &desk.vectors.values) {
                let (mean, variance) = (&mut means[start..], &mut variances[start..]);
                learner.gaussian().moments(x, mean, variance, &mut desk.projection);
            }
        })?;
        Ok((matrix(py, source.len(), means)?, matrix(py, source.len(), variances)?))
    }

    /// The probabilities of one dict, by class.
    fn probabilities_of_dict(&self, x: &Bound<'_, PyDict>) -> PyResult<Vec<f64>> {
        self.with_dict(x, |this, batch| {
            let mut out = Vec::new();
            let model = this.read();
            model.predict(&batch.example(0).features).probabilities(&mut out);
            trim(&model, &mut out);
            Ok(out)
        })
    }

    /// The class of one dict.
    fn class_of_dict(&self, x: &Bound<'_, PyDict>) -> PyResult<Option<usize>> {
        self.with_dict(x, |this, batch| Ok(this.read().predict(&batch.example(0).features).label))
    }
}

impl Model {
    /// What every row's prediction comes to.
    fn numbers<'py>(
        &self,
        py: Python<'py>,
        rows: Rows<'py>,
        of: fn(&Prediction, &mut Vec<f64>),
    ) -> PyResult<Matrix<'py>> {
        let source = rows.source()?;
        let mut out = Vec::new();
        for_rows(py, self, &*source, |model, features, desk| {
            desk.predict(model, features);
            of(&desk.prediction, &mut desk.numbers);
            trim(model, &mut desk.numbers);
            out.extend_from_slice(&desk.numbers);
        })?;
        matrix(py, source.len(), out)
    }
}
