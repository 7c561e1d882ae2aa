//! What a model has learned, for inspection.

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use surefoot::core::store::{Store, Weight};
use surefoot::data::{BIAS_KEY, SpaceKind, Vectors};

use crate::error::refusal;
use crate::lesson::Reader;
use crate::model::Model;
use crate::rows::Rows;

/// A matrix of Python, one row a block of weights.
pub type Matrix<'py> = Bound<'py, PyArray2<f64>>;

/// Means and variances of chosen features: one row a block, one column a feature; none is a feature at the prior.
fn gather(store: &dyn Store, features: &[Option<u32>]) -> Option<(Array2<f64>, Array2<f64>)> {
    let shape = (store.blocks(), features.len());
    let (mut means, mut variances) = (Array2::zeros(shape), Array2::from_elem(shape, store.prior()));
    for (column, index) in
        features.iter().enumerate().filter_map(|(at, index)| index.map(|index| (at, index)))
    {
        for block in 0..store.blocks() {
            let Weight { mean, variance } = store.weight(index as usize, block)?;
            (means[(block, column)], variances[(block, column)]) = (mean, variance);
        }
    }
    Some((means, variances))
}

impl Model {
    fn weights_of<'py>(
        &self,
        py: Python<'py>,
        features: &[Option<u32>],
    ) -> PyResult<(Matrix<'py>, Matrix<'py>)> {
        let gathered = py.detach(|| {
            let model = self.read();
            let learner = model.learner();
            learner.as_bank().is_none().then(|| gather(learner.gaussian(), features)).flatten()
        });
        let (means, variances) = gathered.ok_or_else(|| {
            PyAttributeError::new_err("this model has no single weight a feature (a bank, or a kernel store)")
        })?;
        Ok((means.into_pyarray(py), variances.into_pyarray(py)))
    }
}

#[pymethods]
impl Model {
    /// Means and variances of the features `0..columns` and, last, of the bias; one row a block.
    fn weights<'py>(&self, py: Python<'py>, columns: u64) -> PyResult<(Matrix<'py>, Matrix<'py>)> {
        let features: Vec<Option<u32>> = py.detach(|| {
            let model = self.read();
            let space = model.preparer().space();
            (0..columns).chain([BIAS_KEY]).map(|id| space.lookup(id)).collect()
        });
        self.weights_of(py, &features)
    }

    /// Names, means and variances of all features that have a weight, in the order that people expect.
    fn named_weights<'py>(&self, py: Python<'py>) -> PyResult<(Vec<String>, Matrix<'py>, Matrix<'py>)> {
        let (names, features): (Vec<String>, Vec<Option<u32>>) = py.detach(|| {
            let model = self.read();
            let space = model.preparer().space();
            space
                .feature_order()
                .into_iter()
                .map(|index| (space.name(index).to_string(), Some(index)))
                .unzip()
        });
        let (means, variances) = self.weights_of(py, &features)?;
        Ok((names, means, variances))
    }

    /// The features of one example as the learner sees them: names, values, and the means and variances of their
    /// weights.
    #[allow(clippy::type_complexity)]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        rows: Rows<'py>,
    ) -> PyResult<(Vec<String>, Vec<f64>, Matrix<'py>, Matrix<'py>)> {
        let source = rows.source()?;
        let known = py.detach(|| {
            let (mut reader, mut vectors) = (Reader::default(), Vectors::new());
            let model = self.read();
            if source.len() > 0 {
                let features = reader.read(&*source, 0, &model.plan())?;
                model.preparer().predict(&features, &mut vectors);
            }
            let space = model.preparer().space();
            // Features that were never met have indices past the space, and no weight to show.
            let met = vectors.ids.iter().zip(&vectors.values).filter(|(id, _)| space.holds(**id));
            Ok(met.map(|(&id, &value)| ((space.name(id).to_string(), value), Some(id))).collect::<Vec<_>>())
        });
        let ((names, values), features): ((Vec<_>, Vec<_>), Vec<_>) =
            known.map_err(refusal)?.into_iter().unzip();
        let (means, variances) = self.weights_of(py, &features)?;
        Ok((names, values, means, variances))
    }

    /// The labels, by class.
    fn labels(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| self.read().labels().names().iter().map(ToString::to_string).collect())
    }

    /// The class of each label, if it is known.
    fn find_labels(&self, py: Python<'_>, labels: Vec<String>) -> Vec<Option<u32>> {
        py.detach(|| {
            let model = self.read();
            labels.iter().map(|label| model.labels().class(label.as_bytes())).collect()
        })
    }

    /// Whether there are two classes and one block of weights.
    fn is_binary(&self, py: Python<'_>) -> bool {
        py.detach(|| self.read().labels().is_binary())
    }

    /// The SPEC with every parameter filled in.
    fn spec(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.read().spec()).map_err(refusal)
    }

    /// The recipe as JSON.
    fn recipe(&self, py: Python<'_>) -> String {
        py.detach(|| self.read().plan().recipe().to_json())
    }

    /// Whether features are integers as given, and so columns of a matrix.
    fn takes_columns(&self, py: Python<'_>) -> bool {
        py.detach(|| self.read().plan().recipe().space == SpaceKind::AsGiven)
    }

    /// One more than the largest feature id met, the bias apart.
    fn width(&self, py: Python<'_>) -> u64 {
        py.detach(|| {
            let model = self.read();
            let space = model.preparer().space();
            let ids = space.indices().map(|index| space.key(index)).filter(|&key| key != BIAS_KEY);
            ids.max().map_or(0, |id| id.saturating_add(1))
        })
    }

    /// What the model has seen.
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = py.detach(|| self.read().counts());
        let out = PyDict::new(py);
        out.set_item("rounds", counts.rounds)?;
        out.set_item("examples", counts.examples)?;
        out.set_item("mistakes", counts.mistakes)?;
        out.set_item("updates", counts.updates)?;
        out.set_item("passes", counts.passes)?;
        Ok(out)
    }
}
