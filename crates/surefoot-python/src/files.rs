//! Learning from files, with the readers and the loop of `surefoot train`.

use std::path::PathBuf;

use pyo3::prelude::*;
use surefoot::core::Roster;
use surefoot::data::{FORMATS, Format, OnBadLine, Progress, Source, Task};
use surefoot::train::{self, Observer, Progressive, Report, TrainOptions};

use crate::error::{refusal, value};
use crate::model::Model;
use crate::settings::changed_recipe;

/// Learns from files, or goes on with a model; gives the model and the report as JSON.
///
/// `progress(bytes_read, bytes_total, examples, error_rate)` is called now and then.
#[pyfunction]
#[pyo3(signature = (
    paths, learner, *, model = None, recipe = "{}", labels = vec![], task = "auto", format = None, passes = 1,
    threads = 1, skip_bad_lines = false, seed = 0, progress = None,
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
    seed: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Model, String)> {
    let learner = Roster::parse(learner).map_err(value)?;
    let options = TrainOptions::default()
        .recipe(changed_recipe(&learner, recipe)?)
        .learner(learner)
        .task(known_task(task)?)
        .labels(labels)
        .format(format.map(known_format).transpose()?)
        .passes(passes)
        .threads(threads)
        .on_bad_line(if skip_bad_lines { OnBadLine::Skip } else { OnBadLine::Fail })
        .seed(seed);
    let sources = paths.into_iter().map(Source::Path).collect();
    let mut watch = Watch { progress, interruption: None };
    let run = py.detach(|| learn(model, sources, &options, &mut watch));
    watch.interruption.map_or(Ok(()), Err)?;
    let (model, report) = run.map_err(refusal)?;
    Ok((model.into(), serde_json::to_string(&report).map_err(value)?))
}

fn learn(
    model: Option<&Model>,
    sources: Vec<Source>,
    options: &TrainOptions,
    watch: &mut Watch,
) -> surefoot::Result<(surefoot::Model, Report)> {
    let Some(model) = model else { return train::train(sources, options, watch) };
    // The run takes a model for itself; one that was written and read again is the same one.
    let bytes = model.read().to_bytes()?;
    train::resume(surefoot::Model::from_bytes(&bytes)?, sources, options, watch)
}

/// One model from several that were trained apart; `base` is what all of them continued from.
#[pyfunction]
#[pyo3(signature = (models, base = None))]
pub fn merge(py: Python<'_>, models: Vec<Py<Model>>, base: Option<Py<Model>>) -> PyResult<Model> {
    let copy = |model: &Py<Model>| surefoot::Model::from_bytes(&model.get().read().to_bytes()?);
    let merged = py.detach(|| {
        let base = base.as_ref().map(copy).transpose()?;
        surefoot::merge(&models.iter().map(copy).collect::<surefoot::Result<Vec<_>>>()?, base.as_ref())
    });
    merged.map(Model::from).map_err(refusal)
}

fn known_task(word: &str) -> PyResult<Task> {
    match word {
        "auto" => Ok(Task::Auto),
        "binary" => Ok(Task::Binary),
        "multiclass" => Ok(Task::Multiclass),
        _ => Err(value(format!("unknown task `{word}`; known: auto, binary, multiclass"))),
    }
}

fn known_format(word: &str) -> PyResult<&'static Format> {
    let found = FORMATS.iter().find(|format| format.name == word || format.aliases.contains(&word));
    found.copied().ok_or_else(|| {
        let known: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        value(format!("unknown format `{word}`; known: {}", known.join(", ")))
    })
}

/// Tells Python how far the run is, and ends it if Python raises.
struct Watch {
    progress: Option<Py<PyAny>>,
    interruption: Option<PyErr>,
}

impl Observer for Watch {
    fn progress(&mut self, reading: Progress, progressive: &Progressive) {
        let done = Python::attach(|py| {
            if let Some(progress) = &self.progress {
                let examples = progressive.examples();
                progress.call1(
                    py,
                    (reading.bytes_read, reading.bytes_total, examples, progressive.error_rate()),
                )?;
            }
            py.check_signals()
        });
        self.interruption = done.err();
    }

    fn stop(&mut self) -> bool {
        self.interruption.is_some()
    }
}
