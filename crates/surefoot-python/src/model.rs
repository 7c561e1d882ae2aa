//! The native model: a [`surefoot::Model`] that many Python threads may use at once.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use surefoot::data::{Batch, Builder, Layout, Plan};
use surefoot::train::default_detectors;

use crate::error::{half_made, refusal, value};
use crate::settings::{changed_recipe, known_drift, known_labels, learner_spec};

/// A learner with its labels and features.
///
/// Predictions share the model, learning has it alone. The lock is never held while Python runs.
#[pyclass(frozen, module = "surefoot._native")]
pub struct Model {
    inner: RwLock<surefoot::Model>,
    pub(crate) plan: Arc<Plan>,
    /// Memory for single rows, taken out while it is used.
    spare: Mutex<Vec<Batch>>,
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
    /// The model, shared.
    pub fn read(&self) -> PyResult<RwLockReadGuard<'_, surefoot::Model>> {
        self.inner.read().map_err(|_| half_made())
    }

    /// The model alone.
    pub fn write(&self) -> PyResult<RwLockWriteGuard<'_, surefoot::Model>> {
        self.inner.write().map_err(|_| half_made())
    }

    /// A batch of one example: the features of a dict. The interpreter is released while `work` has it.
    pub fn with_dict<T: Send>(
        &self,
        dict: &Bound<'_, PyDict>,
        work: impl FnOnce(&Batch) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        let mut batch = self.spare().pop().unwrap_or_default();
        batch.clear();
        let mut builder = Builder::new(&self.plan, &mut batch);
        builder.begin(1);
        let told = crate::dicts::tell(dict, &mut builder).and_then(|()| builder.finish().map_err(value));
        let done = told.and_then(|()| dict.py().detach(|| work(&batch)));
        self.spare().push(batch);
        done
    }

    /// A panic in the middle of a push or a pop leaves nothing that matters.
    fn spare(&self) -> std::sync::MutexGuard<'_, Vec<Batch>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Model {
    /// A model at the start of its stream.
    #[new]
    #[pyo3(signature = (
        learner, parameters, labels, *, grow = false, several = false, recipe = "{}", format = None, seed = 0, on_drift = "report",
        drift_detector = None,
    ))]
    #[allow(clippy::too_many_arguments)] // they are Python's keywords
    fn new(
        learner: (String, Option<String>),
        parameters: Vec<(String, String)>,
        labels: Vec<String>,
        grow: bool,
        several: bool,
        recipe: &str,
        format: Option<String>,
        seed: u64,
        on_drift: &str,
        drift_detector: Option<&str>,
    ) -> PyResult<Self> {
        let learner = learner_spec(&learner, &parameters).map_err(value)?;
        let (labels, recipe) =
            (known_labels(&labels, grow, several).map_err(value)?, changed_recipe(&learner, recipe)?);
        let mut settings = surefoot::Settings::new(learner, labels, recipe);
        settings.seed = seed;
        (settings.on_drift, settings.detectors) = known_drift(on_drift, drift_detector).map_err(value)?;
        // What a file of such rows would be, so that the command line reads more of them.
        settings.columns.layout = format.map(|format| Layout { format, ..Layout::default() });
        surefoot::Model::new(settings).map(Self::from).map_err(refusal)
    }

    /// Reads a model file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| surefoot::Model::load(&path)).map(Self::from).map_err(refusal)
    }

    /// Where the data changed, as JSON.
    fn changes(&self) -> PyResult<String> {
        serde_json::to_string(&self.read()?.changes()).map_err(value)
    }

    /// What is done about changes, and what looks for them; none for the usual detectors.
    fn on_drift(&self) -> PyResult<(&'static str, Option<String>)> {
        let model = self.read()?;
        let names: Vec<&str> = model.detectors().iter().map(|spec| spec.name).collect();
        let usual = default_detectors().iter().map(|spec| spec.name).eq(names.iter().copied());
        let all = if names.is_empty() { "none".into() } else { names.join(",") };
        Ok((model.on_drift().name(), (!usual).then_some(all)))
    }

    /// Writes the model file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.read()?.save(&path).map_err(refusal))
    }

    /// The bytes of the model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.read()?.to_bytes().map_err(refusal))?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.import("surefoot._native")?.getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }
}
