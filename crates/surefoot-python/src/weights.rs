//! What a model has learned, for inspection.

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::exceptions::{PyAttributeError, PyMemoryError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};
use surefoot::core::{F1Average, Task, Weight};
use surefoot::data::{BIAS_KEY, Batch, SpaceKind};
use surefoot::{Error, Predictor};

use crate::error::{refusal, refusal_in_row, value};
use crate::model::Model;
use crate::row_reader::RowReader;
use crate::rows::PyRows;

/// A matrix of Python, one row a block of weights.
pub type PyMatrix<'py> = Bound<'py, PyArray2<f64>>;

/// Means and variances of chosen features: one row a block, one column a feature; none is a feature at the prior. None
/// where there is no single weight a feature.
fn gather(model: &surefoot::Model, features: &[Option<u32>]) -> PyResult<Option<(Array2<f64>, Array2<f64>)>> {
    let learner = model.learner();
    if learner.as_ensemble().is_some() {
        return Ok(None);
    }
    // One block of weights tells two classes apart. Past the features that were met, every weight is at the prior.
    let blocks = if model.labels().is_binary() { 1 } else { learner.classes() };
    let unmet = model.encoder().index().bound();
    let (mut means, mut variances) = (zeros(blocks, features.len())?, zeros(blocks, features.len())?);
    for (column, index) in features.iter().enumerate() {
        let index = index.map_or(unmet, |index| index as usize);
        for block in 0..blocks {
            let Some(Weight { mean, variance, .. }) = learner.weight(0, index, block) else {
                return Ok(None);
            };
            (means[(block, column)], variances[(block, column)]) = (mean, variance);
        }
    }
    Ok(Some((means, variances)))
}

/// A matrix for which there may be no memory: the columns of a sparse matrix cost nothing, those of a dense one do.
fn zeros(rows: usize, columns: usize) -> PyResult<Array2<f64>> {
    let mut numbers: Vec<f64> = with_room(rows.saturating_mul(columns))?;
    numbers.resize(rows * columns, 0.0);
    Array2::from_shape_vec((rows, columns), numbers).map_err(value)
}

/// An empty list for so many entries, or Python's `MemoryError`.
fn with_room<T>(entries: usize) -> PyResult<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(entries).map_err(|_| {
        PyMemoryError::new_err(format!(
            "there is no memory for the weights of {entries} columns in a row; of a model with so many, take those that it met: \
             sparsify() lets coef_ be a sparse matrix"
        ))
    })?;
    Ok(list)
}

impl Model {
    fn weights_of<'py>(
        &self,
        py: Python<'py>,
        features: &[Option<u32>],
    ) -> PyResult<(PyMatrix<'py>, PyMatrix<'py>)> {
        let gathered = py.detach(|| gather(&*self.read()?, features))?;
        let (means, variances) = gathered.ok_or_else(|| {
            let missing = "this model has no single weight a feature (an ensemble, or a kernel store)";
            PyAttributeError::new_err(missing)
        })?;
        Ok((means.into_pyarray(py), variances.into_pyarray(py)))
    }

    /// Something of the model, with the interpreter released.
    fn ask<T: Send>(&self, py: Python<'_>, what: impl FnOnce(&surefoot::Model) -> T + Send) -> PyResult<T> {
        py.detach(|| Ok(what(&*self.read()?)))
    }
}

#[pymethods]
impl Model {
    /// Means and variances of the features `0..columns` and, last, of the bias; one row a block.
    fn weights<'py>(&self, py: Python<'py>, columns: u64) -> PyResult<(PyMatrix<'py>, PyMatrix<'py>)> {
        let features: Vec<Option<u32>> = self.ask(py, |model| {
            let index = model.encoder().index();
            let mut features = with_room(usize::try_from(columns).unwrap_or(usize::MAX).saturating_add(1))?;
            features.extend((0..columns).chain([BIAS_KEY]).map(|id| index.get(id)));
            Ok::<_, PyErr>(features)
        })??;
        self.weights_of(py, &features)
    }

    /// As `weights`, of the columns below a limit that were met: their numbers, in order, then the means and variances.
    #[allow(clippy::type_complexity)]
    fn met_weights<'py>(
        &self,
        py: Python<'py>,
        columns: u64,
    ) -> PyResult<(Bound<'py, PyArray1<i64>>, PyMatrix<'py>, PyMatrix<'py>)> {
        let mut met: Vec<(u64, Option<u32>)> = self.ask(py, |model| {
            let index = model.encoder().index();
            let all = index.indices().map(|at| (index.key(at), Some(at)));
            all.filter(|&(key, _)| key != BIAS_KEY && key < columns).collect()
        })?;
        met.sort_unstable_by_key(|&(key, _)| key);
        let (keys, features): (Vec<i64>, Vec<_>) = met.into_iter().map(|(key, at)| (key as i64, at)).unzip();
        let (means, variances) = self.weights_of(py, &features)?;
        Ok((keys.into_pyarray(py), means, variances))
    }

    /// Names, means and variances of all features that have a weight, in the order that people expect.
    fn named_weights<'py>(&self, py: Python<'py>) -> PyResult<(Vec<String>, PyMatrix<'py>, PyMatrix<'py>)> {
        let (names, features): (Vec<String>, Vec<Option<u32>>) = self.ask(py, |model| {
            let index = model.encoder().index();
            let order = index.feature_order().into_iter();
            order.filter_map(|at| Some((index.name(at)?.to_string(), Some(at)))).unzip()
        })?;
        let (means, variances) = self.weights_of(py, &features)?;
        Ok((names, means, variances))
    }

    /// The features of one example as the learner sees them: names, values, and the means and variances of their
    /// weights.
    #[allow(clippy::type_complexity)]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        rows: PyRows<'py>,
    ) -> PyResult<(Vec<String>, Vec<f64>, PyMatrix<'py>, PyMatrix<'py>)> {
        let source = rows.source()?;
        let known = py.detach(|| {
            let (mut reader, mut batch) = (RowReader::unlabelled(&*source, self.plan.clone()), Batch::new());
            let model = self.read()?;
            let mut predictor = Predictor::new(&model);
            if reader.fill(&mut batch).map_err(|error| refusal_in_row(Error::Data(error)))? {
                predictor.predict(&batch.example(0).features);
            }
            // Features that were never met have indices past the others, and no weight to show.
            let (row, index) = (predictor.row(), model.encoder().index());
            let met = row.ids.iter().zip(&row.values);
            let met = met.filter_map(|(&id, &value)| Some(((index.name(id)?.to_string(), value), Some(id))));
            Ok::<_, PyErr>(met.collect::<Vec<_>>())
        });
        let ((names, values), features): ((Vec<_>, Vec<_>), Vec<_>) = known?.into_iter().unzip();
        let (means, variances) = self.weights_of(py, &features)?;
        Ok((names, values, means, variances))
    }

    /// The labels, by class.
    fn labels(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.ask(py, |model| model.labels().names().iter().map(ToString::to_string).collect())
    }

    /// The class of each label, if it is known.
    fn find_labels(&self, py: Python<'_>, labels: Vec<String>) -> PyResult<Vec<Option<u32>>> {
        self.ask(py, |model| labels.iter().map(|label| model.labels().class(label.as_bytes())).collect())
    }

    /// Whether there are two classes and one block of weights.
    fn is_binary(&self, py: Python<'_>) -> PyResult<bool> {
        self.ask(py, |model| model.labels().is_binary())
    }

    /// Whether a row may have several labels.
    fn has_several_labels(&self, py: Python<'_>) -> PyResult<bool> {
        self.ask(py, |model| model.task() == Task::Multilabel)
    }

    /// The thresholds that make F1 largest, by class: of all labels together or of each.
    fn f1_thresholds(&self, py: Python<'_>, each: bool) -> PyResult<Vec<f64>> {
        let average = if each { F1Average::Label } else { F1Average::Micro };
        self.ask(py, |model| model.head().f1_thresholds(average, model.labels().len()))
    }

    /// The SPEC with every parameter filled in.
    fn spec(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, surefoot::Model::spec)?.map_err(refusal)
    }

    /// The recipe as JSON.
    fn recipe(&self) -> String {
        self.plan.recipe().to_json()
    }

    /// Whether features are integers as given, and so columns of a matrix.
    fn takes_columns(&self) -> bool {
        self.plan.recipe().space == SpaceKind::AsGiven
    }

    /// One more than the largest feature id met, the bias apart.
    fn width(&self, py: Python<'_>) -> PyResult<u64> {
        self.ask(py, |model| {
            let index = model.encoder().index();
            let ids = index.indices().map(|at| index.key(at)).filter(|&key| key != BIAS_KEY);
            ids.max().map_or(0, |id| id.saturating_add(1))
        })
    }

    /// What the model has seen.
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = self.ask(py, surefoot::Model::counts)?;
        let seen = [("rounds", counts.rounds), ("examples", counts.examples), ("mistakes", counts.mistakes)];
        seen.into_iter().chain([("updates", counts.updates), ("passes", counts.passes)]).into_py_dict(py)
    }
}
