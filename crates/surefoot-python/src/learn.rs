//! Learning from rows, with the loop of `surefoot train`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyDict;
use surefoot::data::Label;
use surefoot::train::{Silent, TrainOptions, learn_pass};

use crate::error::{refusal, refusal_after, value};
use crate::model::Model;
use crate::row_reader::{RowLabels, RowReader, check_weight};
use crate::rows::{PyRows, RowSource};

/// Rows learned at a time. Between two such parts other threads get at the model, and Ctrl-C works: Python's handlers may
/// ask the very model, so they do not run while it is locked.
const ROWS_AT_ONCE: usize = 1 << 14;

/// Rows bring all that matters themselves.
static PLAIN: LazyLock<TrainOptions> = LazyLock::new(TrainOptions::default);

impl Model {
    /// A pass over rows whose labels and weights were checked; `pass` counts from 0.
    fn learn_rows(
        &self,
        py: Python<'_>,
        rows: &dyn RowSource,
        truth: &RowLabels<'_>,
        pass: usize,
        options: &TrainOptions,
    ) -> PyResult<()> {
        let mut learned = 0;
        for start in (0..rows.len()).step_by(ROWS_AT_ONCE) {
            let places = start..rows.len().min(start + ROWS_AT_ONCE);
            py.detach(|| {
                let mut reader = RowReader::labelled(rows, truth, self.plan.clone(), places);
                let mut model = self.write()?;
                let before = model.counts().rounds;
                let done = learn_pass(&mut model, &mut reader, pass, options, &mut Silent);
                learned += model.counts().rounds - before;
                done.map_err(|error| refusal_after(error, learned))
            })?;
            py.check_signals()?;
        }
        Ok(())
    }
}

#[pymethods]
impl Model {
    /// Learns from rows; `codes` are places in the list of `labels`, and `class_weights` beside that list. Only rows of pass 0
    /// are met for the first time. Where rows have any number of labels, `starts` says where the codes of each row begin.
    #[pyo3(signature = (
        rows, codes, labels, *, starts = None, weights = None, class_weights = None, order = None, number = 0
    ))]
    #[allow(clippy::too_many_arguments)] // they are Python's keywords
    fn learn<'py>(
        &self,
        py: Python<'py>,
        rows: PyRows<'py>,
        codes: PyReadonlyArray1<'py, i64>,
        labels: Vec<PyBackedStr>,
        starts: Option<PyReadonlyArray1<'py, i64>>,
        weights: Option<PyReadonlyArray1<'py, f64>>,
        class_weights: Option<PyReadonlyArray1<'py, f64>>,
        order: Option<PyReadonlyArray1<'py, i64>>,
        number: usize,
    ) -> PyResult<()> {
        let source = rows.source()?;
        let truth = RowLabels {
            codes: codes.as_slice().map_err(value)?,
            labels: &labels,
            starts: slice(starts.as_ref())?,
            weights: slice(weights.as_ref())?,
            order: slice(order.as_ref())?,
        };
        truth.check(source.len()).map_err(value)?;
        match slice(class_weights.as_ref())? {
            None => self.learn_rows(py, &*source, &truth, number, &PLAIN),
            Some(factors) => {
                let options = PLAIN.clone().class_weights(by_label(&labels, factors)?);
                self.learn_rows(py, &*source, &truth, number, &options)
            }
        }
    }

    /// As `learn`, but false, with nothing learned, if anything is wrong with the arrays.
    fn try_learn<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyAny>,
        codes: PyReadonlyArray1<'py, i64>,
        labels: Vec<PyBackedStr>,
    ) -> PyResult<bool> {
        let Ok(rows) = rows.extract::<PyRows<'py>>() else { return Ok(false) };
        let (Ok(source), Ok(codes)) = (rows.source(), codes.as_slice()) else { return Ok(false) };
        let truth = RowLabels { codes, starts: None, labels: &labels, weights: None, order: None };
        if truth.check(source.len()).is_err() || !source.is_finite() {
            return Ok(false);
        }
        self.learn_rows(py, &*source, &truth, 0, &PLAIN).map(|()| true)
    }

    /// Learns from one dict. The label comes to life if it is new and new ones may come.
    fn learn_dict(&self, x: &Bound<'_, PyDict>, label: &str, weight: f64) -> PyResult<()> {
        check_weight(weight).map_err(value)?;
        self.with_dict(x, |batch| {
            let features = batch.example(0).features;
            self.write()?.learn_weighted(&features, label, weight).map(|_| ()).map_err(refusal)
        })
    }

    /// Learns from one dict with any number of labels.
    fn learn_dict_labels(
        &self,
        x: &Bound<'_, PyDict>,
        labels: Vec<PyBackedStr>,
        weight: f64,
    ) -> PyResult<()> {
        check_weight(weight).map_err(value)?;
        self.with_dict(x, |batch| {
            let features = batch.example(0).features;
            let labels = labels.iter().map(|label| label.as_bytes());
            self.write()?.learn_labels(&features, labels, weight).map(|_| ()).map_err(refusal)
        })
    }
}

/// The factor on the weights of each label's rows.
fn by_label(labels: &[PyBackedStr], factors: &[f64]) -> PyResult<BTreeMap<Label, f64>> {
    if factors.len() != labels.len() {
        return Err(value(format!("a weight is needed for each of the {} labels", labels.len())));
    }
    Ok(labels.iter().map(|label| Label::read(label)).zip(factors.iter().copied()).collect())
}

fn slice<'a, 'py, T: numpy::Element>(
    array: Option<&'a PyReadonlyArray1<'py, T>>,
) -> PyResult<Option<&'a [T]>> {
    array.map(|array| array.as_slice().map_err(value)).transpose()
}
