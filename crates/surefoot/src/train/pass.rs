//! The loop that learns, the only one: batches are pulled from a reader, their rounds are learned and evaluated, and the
//! observer hears of them in file order.

use std::sync::Arc;
use std::time::Instant;

use surefoot_data::{Batch, BatchReader, OnBadLine};

use super::engine::{Engine, ExampleRole};
use super::observer::{Observer, Pass};
use super::stage::Judge;
use super::{Seconds, TrainOptions};
use crate::learners::Learners;
use crate::{Error, Model, Result};

/// What learns in a run: a model, or several learners side by side.
pub(crate) trait Trainee {
    /// The learners and their encoder.
    fn learners(&mut self) -> &mut Learners;

    /// The model, if this is one: it can be saved in the middle of a run.
    fn model(&self) -> Option<&Model> {
        None
    }
}

impl Trainee for Model {
    fn learners(&mut self) -> &mut Learners {
        &mut self.learners
    }

    fn model(&self) -> Option<&Model> {
        Some(self)
    }
}

/// A run under way.
pub(crate) struct Run<'a> {
    options: &'a TrainOptions,
    observer: &'a mut dyn Observer,
    engine: Engine,
    /// Examples still to be left out at the start.
    to_skip: u64,
    pub(crate) seconds: Seconds,
    /// Lines that were left out in the last pass, by the reader or because of their labels.
    pub(crate) bad_lines: u64,
    pub(crate) stopped: bool,
}

impl<'a> Run<'a> {
    /// Before the first pass; where learners are `compared`, each is timed and its mistakes are marked.
    pub(crate) fn new(
        learners: &Learners,
        compared: bool,
        options: &'a TrainOptions,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let (engine, to_skip) = (Engine::new(learners, compared), options.skip);
        Self { options, observer, engine, to_skip, seconds: Seconds::default(), bad_lines: 0, stopped: false }
    }

    /// One pass over the data, the number of which counts from 0; `roles` says what each example is for.
    pub(crate) fn pass(
        &mut self,
        number: usize,
        trainee: &mut dyn Trainee,
        reader: &mut dyn BatchReader,
        roles: &mut dyn Iterator<Item = ExampleRole>,
    ) -> Result<()> {
        let began = Instant::now();
        self.bad_lines = 0;
        reader.start_pass(self.options.order(number))?;
        self.engine.start_pass(number == 0);
        self.seconds.read += began.elapsed().as_secs_f64();
        let learned = self.batches(number, trainee, reader, roles);
        let flushed = self.engine.flush(trainee.learners(), self.observer);
        learned.and(flushed)?;
        self.bad_lines += reader.bad_lines();
        self.seconds.total += began.elapsed().as_secs_f64();
        self.seconds.learn = self.seconds.total - self.seconds.read;
        self.report_progress(reader);
        for own in &mut trainee.learners().contestants {
            // Going on with new data is the same pass over a longer stream, as if all of it had come at once.
            own.counts.passes = own.counts.passes.max(number as u64 + 1);
        }
        Ok(())
    }

    fn batches(
        &mut self,
        number: usize,
        trainee: &mut dyn Trainee,
        reader: &mut dyn BatchReader,
        roles: &mut dyn Iterator<Item = ExampleRole>,
    ) -> Result<()> {
        loop {
            if reader.waits() {
                // The next examples may be long in coming: those that were learned are reported first.
                self.engine.flush(trainee.learners(), self.observer)?;
            }
            let before = Instant::now();
            let mut batch = self.engine.spare_batch();
            let more = reader.next_batch(&mut batch, &mut || self.observer.stop())?;
            self.seconds.read += before.elapsed().as_secs_f64();
            if more {
                let batch = Arc::new(batch);
                // Every pass has workers of its own, from its first batch on.
                self.engine.use_jobs(reader.jobs());
                let learned = self.batch(&batch, number == 0, trainee, roles);
                self.engine.finish_batch(batch);
                learned?;
                self.engine.start_evaluation();
                self.engine.report(trainee.learners(), self.observer)?;
                self.report_progress(reader);
                self.engine.start_evaluation();
            }
            self.stopped = self.observer.stop();
            if self.stopped || !more {
                return Ok(());
            }
        }
    }

    /// Tells the observer how far the pass has come, unless rounds are being evaluated.
    fn report_progress(&mut self, reader: &dyn BatchReader) {
        if let Some([judge, ..]) = self.engine.judges() {
            self.observer.progress(reader.progress(), &judge.tally);
        }
    }

    /// The examples of a batch, one round after the other, with the checkpoints between them.
    fn batch(
        &mut self,
        batch: &Arc<Batch>,
        first_pass: bool,
        trainee: &mut dyn Trainee,
        roles: &mut dyn Iterator<Item = ExampleRole>,
    ) -> Result<()> {
        for at in 0..batch.len() {
            if self.to_skip > 0 {
                self.to_skip -= 1;
                continue;
            }
            let role = roles.next().unwrap_or(ExampleRole::Learn);
            let learned = self.engine.learn(trainee.learners(), batch, at, role, self.options, self.observer);
            if let Err(error) = learned {
                let skip = self.options.on_bad_line == OnBadLine::Skip && error.is_about_the_label();
                let error = error.at(batch, &batch.example(at));
                if !skip {
                    return Err(error);
                }
                self.bad_lines += 1;
                if first_pass {
                    self.observer.refused(&error, batch.record(at));
                }
            } else if self.engine.is_due(self.options.checkpoint_every) {
                self.engine.finish_batch(batch.clone());
                self.engine.flush(trainee.learners(), self.observer)?;
                if let Some(model) = trainee.model() {
                    self.observer.checkpoint(model)?;
                }
            }
        }
        Ok(())
    }

    /// Tells the observer that a pass has ended.
    pub(crate) fn end_pass(&mut self, number: usize, model: &Model) -> Result<()> {
        let Some([judge]) = self.engine.judges() else { return Ok(()) };
        self.observer.pass(&Pass { number, model, progressive: &judge.tally })
    }

    /// Whether any example had an importance other than 0 and 1.
    pub(crate) fn weighted(&self) -> bool {
        self.engine.weighted()
    }

    /// How each learner has done, and the time spent in each if there are several.
    pub(crate) fn end(self) -> Result<(Vec<Judge>, Vec<f64>)> {
        self.engine.end()
    }
}

impl Error {
    /// Whether it says that an example has no label, or one that the model cannot take.
    fn is_about_the_label(&self) -> bool {
        matches!(self, Error::Labels(_) | Error::NoLabel)
    }
}
