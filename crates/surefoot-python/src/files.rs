//! Learning from files, with the readers and the loop of `surefoot train`.

use std::path::PathBuf;

use pyo3::prelude::*;
use surefoot::core::{LearnerSpec, Merging, Task};
use surefoot::data::{FORMATS, Format, FormatOptions, OnBadLine, Progress, Source};
use surefoot::train::{self, DataChange, Observer, Progressive, TrainOptions};

use crate::error::{refusal, value};
use crate::model::Model;
use crate::settings::{changed_recipe, known_drift};

/// Learns from files, or goes on with a model; gives the model and the report as JSON.
///
/// `progress(bytes_read, bytes_total, examples, error_rate)` is called now and then, `on_change(json)` where the data changed.
#[pyfunction]
#[pyo3(signature = (
    paths, learner, *, model = None, recipe = "{}", labels = vec![], task = "auto", format = None, passes = 1,
    threads = 1, skip_bad_lines = false, label_separator = None, seed = 0, on_drift = "report", drift_detector = None, progress = None, on_change = None,
))]
#[allow(clippy::too_many_arguments)] // they are Python's keywords
pub fn train_files(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    learner: &str,
    model: Option<&Model>,
    recipe: &str,
    labels: Vec<String>,
    task: &str,
    format: Option<&str>,
    passes: usize,
    threads: usize,
    skip_bad_lines: bool,
    label_separator: Option<String>,
    seed: u64,
    on_drift: &str,
    drift_detector: Option<&str>,
    progress: Option<Py<PyAny>>,
    on_change: Option<Py<PyAny>>,
) -> PyResult<(Model, String)> {
    let learner = LearnerSpec::parse(learner).map_err(value)?;
    let (on_drift, detectors) = known_drift(on_drift, drift_detector).map_err(value)?;
    let columns = FormatOptions { label_separator, ..FormatOptions::default() };
    let options = TrainOptions::default()
        .columns(columns)
        .recipe(changed_recipe(&learner, recipe)?)
        .learner(learner)
        .task(known_task(task)?)
        .labels(labels)
        .format(format.map(known_format).transpose()?)
        .passes(passes)
        .threads(threads)
        .on_bad_line(if skip_bad_lines { OnBadLine::Skip } else { OnBadLine::Fail })
        .seed(seed)
        .on_drift(on_drift)
        .detectors(detectors);
    let sources = paths.into_iter().map(Source::Path).collect();
    let mut watch = ProgressWatch { progress, on_change, interruption: None };
    let run = py.detach(|| match model {
        None => train::train(sources, &options, &mut watch).map_err(refusal),
        Some(model) => {
            let own = model.read()?.clone();
            train::resume(own, sources, &options, &mut watch).map_err(refusal)
        }
    });
    watch.interruption.map_or(Ok(()), Err)?;
    let (model, report) = run?;
    Ok((model.into(), serde_json::to_string(&report).map_err(value)?))
}

/// One model from several that were trained apart; `base` is what all of them continued from. `exact` is the product of the
/// Gaussians for the means too.
#[pyfunction]
#[pyo3(signature = (models, base = None, *, exact = false))]
pub fn merge(
    py: Python<'_>,
    models: Vec<Py<Model>>,
    base: Option<Py<Model>>,
    exact: bool,
) -> PyResult<Model> {
    let merging = if exact { Merging::Exact } else { Merging::Measured };
    let copy = |model: &Py<Model>| Ok(model.get().read()?.clone());
    py.detach(|| {
        let base = base.as_ref().map(copy).transpose()?;
        let models: Vec<surefoot::Model> = models.iter().map(copy).collect::<PyResult<_>>()?;
        surefoot::merge_by(&models, base.as_ref(), merging).map(Model::from).map_err(refusal)
    })
}

fn known_task(word: &str) -> PyResult<Option<Task>> {
    match word {
        "auto" => Ok(None),
        _ => Task::parse(word).map(Some).map_err(|_| {
            value(format!("unknown task `{word}`; known: auto, binary, multiclass, multilabel"))
        }),
    }
}

fn known_format(word: &str) -> PyResult<&'static Format> {
    Format::by_name(word).ok_or_else(|| {
        let known: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        value(format!("unknown format `{word}`; known: {}", known.join(", ")))
    })
}

/// Tells Python how far the run is, and ends it if Python raises.
struct ProgressWatch {
    progress: Option<Py<PyAny>>,
    /// Called with each change of the data, as JSON.
    on_change: Option<Py<PyAny>>,
    interruption: Option<PyErr>,
}

impl Observer for ProgressWatch {
    fn progress(&mut self, reading: Progress, progressive: &Progressive) {
        let done = Python::attach(|py| {
            if let Some(progress) = &self.progress {
                let (examples, error) = (progressive.examples(), progressive.error_rate());
                progress.call1(py, (reading.bytes_read, reading.bytes_total, examples, error))?;
            }
            py.check_signals()
        });
        self.interruption = self.interruption.take().or(done.err());
    }

    fn change(&mut self, change: &DataChange) {
        let Some(on_change) = self.on_change.as_ref().filter(|_| self.interruption.is_none()) else { return };
        let told = serde_json::to_string(change).map_err(value);
        let done = told.and_then(|told| Python::attach(|py| on_change.call1(py, (told,))));
        self.interruption = done.err();
    }

    fn stop(&mut self) -> bool {
        self.interruption.is_some()
    }
}
