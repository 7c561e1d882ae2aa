//! The loop that every entry point shares: read, predict, score, learn.

mod curve;
mod feed;
mod kept;
mod options;
mod progressive;
mod report;
mod start;
mod supply;
mod warnings;

pub use curve::{Curve, CurvePoint};
pub(crate) use feed::{Course, Pupil, feed};
pub use options::{Observer, Pass, RoundView, Silent, TakeReject, TrainOptions};
pub use progressive::Progressive;
pub use report::{Report, Seconds};
pub(crate) use start::Start;
pub(crate) use supply::Supply;

use std::sync::Arc;

use surefoot_data::{Batch, Errand, Example, FormatOptions, Plan, Progress, Source};

use crate::{Error, Model, Result, Settings};

/// Learns from sources, in order, as many passes as asked for; `observer` sees every round.
///
/// ```
/// use surefoot::prelude::*;
/// use surefoot::train::Silent;
///
/// let mail = Source::memory("mail.tsv", *b"spam\tcheap pills\nham\tlunch today\nspam\tcheap watches\n");
/// let (model, report) = train(vec![mail], &TrainOptions::default(), &mut Silent)?;
/// assert_eq!((report.examples, report.labels), (3, 2));
/// assert_eq!(model.labels().name(1).to_string(), "spam");
/// # Ok::<(), Error>(())
/// ```
pub fn train(
    sources: Vec<Source>,
    options: &TrainOptions,
    observer: &mut dyn Observer,
) -> Result<(Model, Report)> {
    run(None, sources, options, observer)
}

/// Goes on with a model, on new data or the same.
pub fn resume(
    model: Model,
    sources: Vec<Source>,
    options: &TrainOptions,
    observer: &mut dyn Observer,
) -> Result<(Model, Report)> {
    run(Some(model), sources, options, observer)
}

fn run(
    model: Option<Model>,
    sources: Vec<Source>,
    options: &TrainOptions,
    observer: &mut dyn Observer,
) -> Result<(Model, Report)> {
    let mut start = Start::new(model, options)?;
    let mut run = Run::new(options, observer);
    let mut supply = Supply::new(sources, options.passes).shuffled(options).cached(options);
    for pass in 0..options.passes.max(1) {
        run.pass(pass, &mut supply, &mut start)?;
        if run.stopped {
            break;
        }
    }
    let model = start.into_pupil()?;
    let report = Report {
        warnings: warnings::warnings(&model, run.weighted),
        ..Report::new(&model, &run.progressive, run.passes, run.seconds, run.bad_lines)?
    };
    Ok((model, report))
}

impl Pupil for Model {
    fn plan(&self) -> Arc<Plan> {
        Model::plan(self)
    }

    fn columns(&self) -> &FormatOptions {
        Model::columns(self)
    }

    fn errand(&self) -> Option<Errand> {
        Some(self.front.preparer.errand())
    }

    fn look_ahead(&mut self, batch: &mut Batch) -> usize {
        self.front.preparer.look_ahead(batch)
    }

    fn foresee(&mut self, next: &[u32]) {
        self.learner.foresee(next);
    }
}

/// A run under way.
struct Run<'a> {
    options: &'a TrainOptions,
    observer: &'a mut dyn Observer,
    progressive: Progressive,
    seconds: Seconds,
    bad_lines: u64,
    passes: u64,
    /// Examples still to be left out at the start.
    to_skip: u64,
    first_pass: bool,
    stopped: bool,
    /// Whether any example had an importance other than 0 and 1.
    weighted: bool,
}

impl<'a> Run<'a> {
    fn new(options: &'a TrainOptions, observer: &'a mut dyn Observer) -> Self {
        let (progressive, seconds) = Default::default();
        let to_skip = options.skip;
        let (bad_lines, passes, first_pass, stopped, weighted) = (0, 0, true, false, false);
        Self {
            options,
            observer,
            progressive,
            seconds,
            bad_lines,
            passes,
            to_skip,
            first_pass,
            stopped,
            weighted,
        }
    }

    fn pass(&mut self, number: usize, supply: &mut Supply, start: &mut Start<Model>) -> Result<()> {
        self.first_pass = number == 0;
        let fed = feed(supply, number, self.options, start, self)?;
        self.seconds += fed.seconds;
        self.stopped = fed.stopped;
        if self.first_pass {
            self.bad_lines += fed.bad_lines;
        }
        let (progressive, model) = (&self.progressive, start.pupil()?);
        // Going on with new data is the same pass over a longer stream, as if all of it had come at once.
        self.passes = number as u64 + 1;
        let passes = &mut model.counts_mut().passes;
        *passes = self.passes.max(*passes);
        self.observer.pass(&Pass { number, model, progressive })
    }
}

impl Course<Model> for Run<'_> {
    fn begin(&mut self, settings: Settings) -> Result<Model> {
        Model::new(settings)
    }

    fn round(&mut self, model: &mut Model, example: &Example<'_>) -> Result<()> {
        if self.to_skip > 0 {
            self.to_skip -= 1;
            return Ok(());
        }
        let (label, weight) = self.options.labelled(example)?;
        self.weighted |= weight != 1.0 && weight != 0.0;
        let (round, front) = model.round(&example.features, label, weight)?;
        let mistake = round.prediction.label != Some(round.class);
        let updated = round.updated;
        if self.first_pass {
            self.progressive.update(&round, 1.0);
        }
        let (labels, features) = (&front.labels, front.preparer.space().len());
        let first_pass = self.first_pass;
        self.observer.round(&RoundView { round: &round, example, first_pass, labels, features });
        let counts = model.counts_mut();
        counts.add_round(self.first_pass, mistake, updated);
        self.progressive.count_update(updated);
        let every = self.options.checkpoint_every;
        if every > 0 && counts.rounds.is_multiple_of(every) {
            self.observer.checkpoint(model)?;
        }
        Ok(())
    }

    fn go_on(&mut self, progress: Progress) -> bool {
        self.observer.progress(progress, &self.progressive);
        !self.observer.stop()
    }

    fn refused(&mut self, error: &Error) {
        if self.first_pass {
            self.bad_lines += 1;
            self.observer.refused(error);
        }
    }

    fn take_rejects(&mut self) -> Option<TakeReject> {
        self.observer.take_rejects()
    }
}
