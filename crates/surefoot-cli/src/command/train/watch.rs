//! The observer of a run for the user: progress, predictions, checkpoints, held-out error, Ctrl-C.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use surefoot::data::Source;
use surefoot::train::{Curve, Observer, Pass, Progressive, RoundView, TakeReject, TrainOptions};
use surefoot::{Error, Model, OutcomeTally, Reading, evaluate};

use super::Train;
use super::progress::ProgressDisplay;
use super::uncertain::Notable;
use crate::failure::Result;
use crate::flags::{Rejects, TalkFlags, sources};
use crate::output::{self, exact, percent};

/// Watches a run.
pub(super) struct TrainWatch<'a> {
    progress: ProgressDisplay,
    /// How much is said, and the threads that read.
    talk: (TalkFlags, usize),
    curve: Curve,
    /// Rounds of the first pass that changed the model, and the features that it knows.
    updates: u64,
    features: usize,
    /// Only for the report that people read.
    notable: Option<Notable>,
    /// The predictions of the first pass, for a page.
    outcomes: Option<OutcomeTally>,
    predictions: Option<Predictions>,
    rejects: Option<Rejects>,
    checkpoint: Option<&'a PathBuf>,
    test: Vec<Source>,
    test_reading: Reading,
    held_out: Vec<HeldOut>,
    interrupt: Arc<AtomicBool>,
}

/// The error on held-out data after a pass.
#[derive(Debug, Clone, Serialize)]
pub(super) struct HeldOut {
    pass: usize,
    examples: u64,
    mistakes: u64,
    error_rate: f64,
}

impl std::fmt::Display for HeldOut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (error, examples) = (percent(self.error_rate), output::counted(self.examples, "example"));
        write!(f, "held-out error after pass {}: {error} of {examples}", self.pass)
    }
}

/// What the report needs.
pub(super) struct Watched {
    pub(super) curve: Curve,
    pub(super) notable: Notable,
    pub(super) outcomes: OutcomeTally,
    pub(super) held_out: Vec<HeldOut>,
    pub(super) interrupted: bool,
}

impl<'a> TrainWatch<'a> {
    pub(super) fn new(train: &'a Train, options: &TrainOptions) -> Result<Self> {
        let test = sources(&train.telling.test);
        test.iter().try_for_each(|source| source.check().map(drop)).map_err(Error::from)?;
        Ok(Self {
            progress: ProgressDisplay::new(train.telling.progress, train.telling.talk.quiet),
            talk: (train.telling.talk, options.threads),
            curve: Curve::default(),
            updates: 0,
            features: 0,
            notable: (train.prints() || train.telling.report.is_some()).then(Notable::default),
            outcomes: train.telling.report.is_some().then(OutcomeTally::default),
            predictions: train.telling.predictions.as_deref().map(Predictions::create),
            rejects: train.rejects.create(),
            checkpoint: train.output.as_ref().filter(|_| options.checkpoint_every > 0),
            test,
            test_reading: train.reading.for_model(false, train.missing),
            held_out: Vec::new(),
            interrupt: listen()?,
        })
    }

    /// The run ended with an error. Files that nothing was written to stay as they were.
    pub(super) fn give_up(&self) {
        self.progress.finish();
    }

    /// Closes the files; gives back what was seen.
    pub(super) fn finish(self) -> Result<Watched> {
        let interrupted = self.interrupt.load(Ordering::Relaxed);
        self.progress.finish();
        self.rejects.map_or(Ok(()), |rejects| rejects.finish())?;
        self.predictions.map_or(Ok(()), Predictions::finish)?;
        Ok(Watched {
            curve: self.curve,
            notable: self.notable.unwrap_or_default(),
            outcomes: self.outcomes.unwrap_or_default(),
            held_out: self.held_out,
            interrupted,
        })
    }
}

/// The first Ctrl-C asks the run to end and keep its model; the second ends the program at once.
fn listen() -> Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let now = flag.clone();
    signal_hook::flag::register_conditional_shutdown(signal_hook::consts::SIGINT, 130, now)?;
    signal_hook::flag::register(signal_hook::consts::SIGINT, flag.clone())?;
    signal_hook::flag::register(signal_hook::consts::SIGTERM, flag.clone())?;
    Ok(flag)
}

impl Observer for TrainWatch<'_> {
    fn round(&mut self, view: &RoundView<'_>) {
        let row = self.curve.round(view.round.mistake());
        if view.first_pass {
            self.updates += u64::from(view.round.updated);
            self.features = view.features;
            row.iter().for_each(|row| self.progress.row(row, self.updates, self.features));
            if let Some(notable) = &mut self.notable {
                notable.round(view);
            }
            if let Some(outcomes) = &mut self.outcomes {
                outcomes.update(view.round.prediction, view.round.truth);
            }
        }
        if let Some(predictions) = &mut self.predictions {
            predictions.put(view);
        }
    }

    fn progress(&mut self, reading: surefoot::data::Progress, progressive: &Progressive) {
        self.predictions.iter_mut().for_each(Predictions::pass_on);
        self.progress.reading(reading, progressive.examples());
    }

    fn begin(&mut self, model: &Model) {
        let (talk, threads) = self.talk;
        talk.model(model, threads);
    }

    fn waiting(&mut self) {
        self.predictions.iter_mut().for_each(Predictions::pass_on);
    }

    fn undecided(&mut self, why: &str) {
        self.progress.say(&format!("note: {why}"));
    }

    fn checkpoint(&mut self, model: &Model) -> surefoot::Result<()> {
        self.checkpoint.map_or(Ok(()), |path| model.save(path))
    }

    fn pass(&mut self, pass: &Pass<'_>) -> surefoot::Result<()> {
        let row = self.curve.end_pass().filter(|_| pass.number == 0);
        row.iter().for_each(|row| self.progress.row(row, self.updates, self.features));
        if self.test.is_empty() {
            return Ok(());
        }
        let found = evaluate(pass.model, self.test.clone(), &self.test_reading)?;
        let held_out = HeldOut {
            pass: pass.number + 1,
            examples: found.examples,
            mistakes: found.mistakes(),
            error_rate: found.error_rate(),
        };
        self.curve.add_held_out(held_out.error_rate);
        self.progress.note(&held_out.to_string());
        self.held_out.push(held_out);
        Ok(())
    }

    fn refused(&mut self, error: &Error, record: &[u8]) {
        if let Some(rejects) = &self.rejects {
            rejects.put(&error.to_string(), record);
        }
    }

    fn stop(&mut self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    fn take_rejects(&mut self) -> Option<TakeReject> {
        self.rejects.as_ref().map(Rejects::taker)
    }
}

/// The file of progressive predictions. Rounds cannot fail, so the first trouble is kept until the end.
struct Predictions {
    out: Box<dyn Write + Send>,
    /// Whether anything was written that was not passed on yet. A file that nothing is written to stays as it was.
    kept_back: bool,
    trouble: Option<std::io::Error>,
}

impl Predictions {
    fn create(path: &Path) -> Self {
        Self { out: output::create(path), kept_back: false, trouble: None }
    }

    fn put(&mut self, view: &RoundView<'_>) {
        if self.trouble.is_some() {
            return;
        }
        let prediction = view.round.prediction;
        let name = |class: usize| output::plain(&view.labels.names()[class].to_string()).into_owned();
        let label = match prediction.several {
            true => prediction.labels.iter().map(|&label| name(label as usize)).collect::<Vec<_>>().join(","),
            false => prediction.label.map(name).unwrap_or_default(),
        };
        let probability = prediction.label.map_or(0.0, |class| prediction.probability(class));
        let (score, variance) = (exact(prediction.shown_score()), exact(prediction.variance));
        self.trouble = writeln!(self.out, "{label}\t{score}\t{variance}\t{}", exact(probability)).err();
        self.kept_back = true;
    }

    /// What was predicted so far can be read: this may be a live stream.
    fn pass_on(&mut self) {
        if std::mem::take(&mut self.kept_back) && self.trouble.is_none() {
            self.trouble = self.out.flush().err();
        }
    }

    fn finish(mut self) -> Result<()> {
        self.trouble.take().or(self.out.flush().err()).map_or(Ok(()), |error| Err(error.into()))
    }
}
