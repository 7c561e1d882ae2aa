//! The loop that every entry point shares: read, predict, score, learn.

mod curve;
mod desk;
mod feed;
mod group;
mod kept;
mod options;
mod progressive;
mod relay;
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

use surefoot_data::{Batch, Errand, FormatOptions, Plan, Progress, Source};

use crate::front::Front;
use crate::{Error, Learned, Model, Result, Settings};
use group::{Group, TOGETHER};
use relay::Relay;

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
        warnings: warnings::warnings(&model, options, run.weighted),
        ..Report::new(&model, &run.relay.desk.progressive, run.passes, run.seconds, run.bad_lines)?
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

    fn look_ahead(&mut self, batch: &mut Batch) -> usize {
        self.front.preparer.look_ahead(batch)
    }
}

/// A run under way.
struct Run<'a> {
    options: &'a TrainOptions,
    observer: &'a mut dyn Observer,
    /// Examples that wait to be learned together.
    group: Group,
    /// Rounds that wait to be concluded, and the scores.
    relay: Relay,
    /// How far reading had come when rounds were left that nobody was told of.
    behind: Option<Progress>,
    seconds: Seconds,
    bad_lines: u64,
    passes: u64,
    /// Examples still to be left out at the start.
    to_skip: u64,
    first_pass: bool,
    /// Whether the examples of this pass were parsed before.
    parsed: bool,
    stopped: bool,
    /// Whether any example had an importance other than 0 and 1.
    weighted: bool,
}

impl<'a> Run<'a> {
    fn new(options: &'a TrainOptions, observer: &'a mut dyn Observer) -> Self {
        let (group, relay, behind, seconds) = Default::default();
        let to_skip = options.skip;
        let (bad_lines, passes, first_pass, parsed, stopped, weighted) = (0, 0, true, false, false, false);
        Self {
            options,
            observer,
            group,
            relay,
            behind,
            seconds,
            bad_lines,
            passes,
            to_skip,
            first_pass,
            parsed,
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
        let (progressive, model) = (&self.relay.desk.progressive, start.pupil()?);
        model.settle();
        // Going on with new data is the same pass over a longer stream, as if all of it had come at once.
        self.passes = number as u64 + 1;
        let passes = &mut model.counts_mut().passes;
        *passes = self.passes.max(*passes);
        self.observer.pass(&Pass { number, model, progressive })
    }
}

impl Run<'_> {
    /// Takes a round in; whether it was a mistake, and whether the model changed.
    fn hear(
        &mut self,
        round: &Learned<'_>,
        front: &Front,
        place: (&Batch, usize),
        features: usize,
    ) -> (bool, bool) {
        let (first_pass, labels) = (self.first_pass, &front.labels);
        let progressive = &mut self.relay.desk.progressive;
        if first_pass {
            progressive.update(round, 1.0);
        }
        self.observer.round(&RoundView { round, place, first_pass, labels, features });
        progressive.count_update(round.updated);
        (round.mistake(), round.updated)
    }

    /// The examples of a group are learned together.
    fn learn_group(&mut self, model: &mut Model, batch: &Batch) -> Result<()> {
        let mut group = std::mem::take(&mut self.group);
        group.learn(model, &mut |front, counts, row, round| {
            let (mistake, updated) = self.hear(round, front, (batch, row.position), row.features);
            counts.add_round(self.first_pass, mistake, updated);
        })?;
        group.clear();
        self.group = group;
        Ok(())
    }

    /// The rounds at the desk come to their end.
    fn conclude(&mut self, model: &mut Model) -> Result<()> {
        let (Model { front, counts, .. }, observer, first_pass) =
            (model, &mut *self.observer, self.first_pass);
        self.relay.conclude(&mut |row, place, round| {
            let (labels, features) = (&front.labels, row.features);
            observer.round(&RoundView { round, place, first_pass, labels, features });
            counts.add_round(first_pass, round.mistake(), round.updated);
        })
    }

    /// The rounds that wait take the place of those at the desk, as soon as these are over. For a checkpoint all of them come to
    /// their end.
    fn hand_over(&mut self, model: &mut Model, batch: &mut Batch, checkpoint: bool) -> Result<()> {
        self.relay.keep(batch);
        if checkpoint {
            let concluded = self.conclude_all(model);
            self.relay.give_back_batch(batch);
            concluded?;
            return self.checkpoint(model);
        }
        if self.relay.is_ready()? {
            self.conclude(model)?;
            self.relay.load(self.first_pass);
        }
        Ok(())
    }

    /// All rounds come to their end, and the learner is whole again.
    fn conclude_all(&mut self, model: &mut Model) -> Result<()> {
        self.conclude(model)?;
        self.relay.load(self.first_pass);
        let concluded = self.conclude(model);
        self.relay.give_back(model);
        concluded
    }

    /// Whether there is a checkpoint after so many rounds.
    fn is_due(&self, rounds: u64) -> bool {
        let every = self.options.checkpoint_every;
        every > 0 && rounds.is_multiple_of(every)
    }

    fn checkpoint(&mut self, model: &mut Model) -> Result<()> {
        if !self.is_due(model.counts.rounds) {
            return Ok(());
        }
        model.settle();
        self.observer.checkpoint(model)
    }
}

impl Course<Model> for Run<'_> {
    fn begin(&mut self, settings: Settings) -> Result<Model> {
        Model::new(settings)
    }

    fn start(&mut self, parsed: bool) {
        self.parsed = parsed;
    }

    fn errand(&self, model: &Model) -> Option<Errand> {
        Some(model.front.preparer.errand().beside(self.relay.aside()))
    }

    fn round(&mut self, model: &mut Model, batch: &Batch, at: usize) -> Result<()> {
        if self.to_skip > 0 {
            self.to_skip -= 1;
            return Ok(());
        }
        let example = batch.example(at);
        let (label, weight) = self.options.labelled(&example)?;
        self.weighted |= weight != 1.0 && weight != 0.0;
        // As long as others may join the learners, each round is over before the next one begins.
        let threads = if model.is_open() { 1 } else { self.options.threads };
        if threads > 1 && model.learner.has_halves() {
            return self.group.take(model, at, &example, label, weight);
        }
        let in_two_parts = threads > 1 && self.relay.borrow(model, self.parsed);
        let next = batch.known(at + 1);
        model.move_early();
        if in_two_parts {
            return self.relay.take(model, at, &example, next, label, weight);
        }
        let (round, front) = model.round(&example.features, Some(next), label, weight)?;
        let (mistake, updated) = self.hear(&round, front, (batch, at), front.preparer.space().len());
        model.counts_mut().add_round(self.first_pass, mistake, updated);
        self.checkpoint(model)
    }

    fn catch_up(&mut self, model: &mut Model, batch: &mut Batch, ended: bool) -> Result<()> {
        let waiting = self.group.len() + self.relay.len();
        let due = self.is_due(model.counts.rounds + waiting as u64);
        if waiting == 0 || !(due || ended || self.group.len() == TOGETHER) {
            return Ok(());
        }
        if self.relay.len() > 0 {
            return self.hand_over(model, batch, due);
        }
        let last = self.group.last();
        let learned = self.learn_group(model, batch).and_then(|()| self.checkpoint(model));
        learned.map_err(|error| error.at(batch, &batch.example(last)))
    }

    fn pause(&mut self, model: &mut Model) -> Result<()> {
        if self.relay.len() > 0 { self.finish(model) } else { Ok(()) }
    }

    fn finish(&mut self, model: &mut Model) -> Result<()> {
        self.conclude_all(model)?;
        if let Some(progress) = self.behind.take() {
            self.observer.progress(progress, &self.relay.desk.progressive);
        }
        Ok(())
    }

    fn go_on(&mut self, progress: Progress) -> bool {
        if self.relay.is_here() {
            self.observer.progress(progress, &self.relay.desk.progressive);
            self.relay.send();
        }
        self.behind = (self.relay.len() > 0).then_some(progress);
        !self.stops()
    }

    fn stops(&mut self) -> bool {
        self.observer.stop()
    }

    fn refused(&mut self, error: &Error, record: &[u8]) {
        if self.first_pass {
            self.observer.refused(error, record);
        }
    }

    fn take_rejects(&mut self) -> Option<TakeReject> {
        self.observer.take_rejects()
    }
}
