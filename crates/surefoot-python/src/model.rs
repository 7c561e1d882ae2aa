//! The native model: a [`surefoot::Model`] that many Python threads may use at once.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyDict};
use surefoot::data::{Batch, Builder, Plan};

use crate::error::{refusal, refusal_at, value};
use crate::lesson::{Lesson, Reader, check_weight};
use crate::rows::Rows;
use crate::settings::Asked;

/// Rows learned between two looks at Python's signals, so that Ctrl-C works.
const ROWS_AT_ONCE: usize = 1 << 14;

/// A learner with its labels and features.
///
/// Predictions share the model, learning has it alone. The lock is never held while Python runs.
#[pyclass(frozen, module = "surefoot._native")]
pub struct Model {
    inner: RwLock<surefoot::Model>,
    plan: Arc<Plan>,
    /// Buffers of single rows, taken out while they are used.
    spare: Mutex<Vec<Reader>>,
}

impl From<surefoot::Model> for Model {
    fn from(model: surefoot::Model) -> Self {
        Self { plan: model.plan(), inner: RwLock::new(model), spare: Mutex::default() }
    }
}

/// A model from the bytes of its file.
#[pyfunction]
pub fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Model> {
    py.detach(|| surefoot::Model::from_bytes(data)).map(Model::from).map_err(refusal)
}

impl Model {
    /// The model, shared. A panic elsewhere cannot have left it half-made in a way that matters for reading.
    pub fn read(&self) -> RwLockReadGuard<'_, surefoot::Model> {
        self.inner.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, surefoot::Model> {
        self.inner.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_spare(&self) -> Reader {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn give_spare(&self, reader: Reader) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(reader);
    }

    /// A batch of one example: the features of a dict.
    pub fn with_dict<T>(
        &self,
        dict: &Bound<'_, PyDict>,
        work: impl FnOnce(&Self, &Batch) -> PyResult<T>,
    ) -> PyResult<T> {
        let mut reader = self.take_spare();
        reader.batch.clear();
        let mut builder = Builder::new(&self.plan, &mut reader.batch);
        builder.begin(1);
        let told = crate::dicts::tell(dict, &mut builder).and_then(|()| builder.finish().map_err(value));
        let done = told.and_then(|()| work(self, &reader.batch));
        self.give_spare(reader);
        done
    }

    /// Learns a lesson that was checked, in parts between which Python may interrupt.
    fn learn_in_parts(&self, py: Python<'_>, lesson: &Lesson<'_>) -> PyResult<()> {
        let mut reader = self.take_spare();
        for start in (0..lesson.len()).step_by(ROWS_AT_ONCE) {
            let places = start..lesson.len().min(start + ROWS_AT_ONCE);
            py.detach(|| lesson.learn(&mut self.write(), places, &mut reader)).map_err(refusal_at)?;
            py.check_signals()?;
        }
        self.give_spare(reader);
        Ok(())
    }
}

#[pymethods]
impl Model {
    /// A model at the start of its stream.
    #[new]
    #[pyo3(signature = (learner, parameters, labels, *, grow = false, recipe = "{}", seed = 0))]
    fn new(
        learner: (String, Option<String>),
        parameters: Vec<(String, String)>,
        labels: Vec<String>,
        grow: bool,
        recipe: &str,
        seed: u64,
    ) -> PyResult<Self> {
        let asked = Asked { learner, parameters, labels, grow, seed };
        surefoot::Model::new(asked.settings(recipe)?).map(Self::from).map_err(refusal)
    }

    /// Reads a model file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| surefoot::Model::load(&path)).map(Self::from).map_err(refusal)
    }

    /// Writes the model file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.read().save(&path)).map_err(refusal)
    }

    /// The bytes of the model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.read().to_bytes()).map_err(refusal)?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.import("surefoot._native")?.getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }

    /// Learns from rows; `codes` are places in the list of `labels`, and `class_weights` beside that list.
    #[pyo3(signature = (rows, codes, labels, *, weights = None, class_weights = None, order = None, first = true))]
    #[allow(clippy::too_many_arguments)] // they are Python's keywords
    fn learn<'py>(
        &self,
        py: Python<'py>,
        rows: Rows<'py>,
        codes: PyReadonlyArray1<'py, i64>,
        labels: Vec<PyBackedStr>,
        weights: Option<PyReadonlyArray1<'py, f64>>,
        class_weights: Option<PyReadonlyArray1<'py, f64>>,
        order: Option<PyReadonlyArray1<'py, i64>>,
        first: bool,
    ) -> PyResult<()> {
        let source = rows.source()?;
        let lesson = Lesson {
            rows: &*source,
            codes: codes.as_slice().map_err(value)?,
            labels: &labels,
            weights: slice(weights.as_ref())?,
            class_weights: slice(class_weights.as_ref())?,
            order: slice(order.as_ref())?,
            first,
        };
        lesson.check().map_err(value)?;
        self.learn_in_parts(py, &lesson)
    }

    /// As `learn`, but false, with nothing learned, if anything is wrong with the arrays.
    fn try_learn<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyAny>,
        codes: PyReadonlyArray1<'py, i64>,
        labels: Vec<PyBackedStr>,
    ) -> PyResult<bool> {
        let Ok(rows) = rows.extract::<Rows<'py>>() else { return Ok(false) };
        let (Ok(source), Ok(codes)) = (rows.source(), codes.as_slice()) else { return Ok(false) };
        let lesson = Lesson {
            rows: &*source,
            codes,
            labels: &labels,
            weights: None,
            class_weights: None,
            order: None,
            first: true,
        };
        if lesson.check().is_err() || !source.is_finite() {
            return Ok(false);
        }
        self.learn_in_parts(py, &lesson).map(|()| true)
    }

    /// Learns from one dict. The label comes to life if it is new and new ones may come.
    fn learn_dict(&self, x: &Bound<'_, PyDict>, label: &str, weight: f64) -> PyResult<()> {
        check_weight(weight).map_err(value)?;
        self.with_dict(x, |this, batch| {
            let mut model = this.write();
            let round = model.learn(&batch.example(0).features, label.as_bytes(), weight).map_err(refusal)?;
            let (mistake, updated) = (round.prediction.label != Some(round.class), round.updated);
            model.counts_mut().add_round(true, mistake, updated);
            Ok(())
        })
    }

    /// Begins a pass over data.
    fn begin_pass(&self, py: Python<'_>) {
        py.detach(|| self.write().counts_mut().passes += 1);
    }
}

fn slice<'a, 'py, T: numpy::Element>(
    array: Option<&'a PyReadonlyArray1<'py, T>>,
) -> PyResult<Option<&'a [T]>> {
    array.map(|array| array.as_slice().map_err(value)).transpose()
}
