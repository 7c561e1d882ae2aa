//! The loop that learns, the only one: batches are pulled from a reader, their rounds are learned and evaluated, and the
//! observer hears of them in file order.

use std::sync::Arc;
use std::time::Instant;

use surefoot_data::BatchReader;

use super::engine::{Engine, ExampleRole, Trainee};
use super::observer::{Observer, Pass};
use super::scales::FeatureScales;
use super::{Seconds, TrainOptions};
use crate::learners::Learners;
use crate::{Model, Result};

/// A run under way.
pub(crate) struct Run<'a> {
    options: &'a TrainOptions,
    observer: &'a mut dyn Observer,
    pub(crate) engine: Engine<'a>,
    pub(crate) seconds: Seconds,
    /// Lines that were left out in the last pass, by the reader or because of their labels.
    pub(crate) bad_lines: u64,
    pub(crate) stopped: bool,
    /// What the first rows are like, where that is wanted.
    pub(super) scales: Option<FeatureScales>,
}

impl<'a> Run<'a> {
    /// Before the first pass; where learners are `compared`, each is timed and its mistakes are marked.
    pub(crate) fn new(
        learners: &Learners,
        compared: bool,
        options: &'a TrainOptions,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let engine = Engine::new(learners, compared, options);
        Self {
            options,
            observer,
            engine,
            seconds: Seconds::default(),
            bad_lines: 0,
            stopped: false,
            scales: None,
        }
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
        reader.start_pass(self.options.order(number))?;
        self.engine.start_pass(number == 0);
        if self.options.balanced {
            let all = &mut trainee.learners().contestants;
            all.iter_mut().for_each(|own| _ = own.balance.get_or_insert_default());
        }
        self.seconds.read += began.elapsed().as_secs_f64();
        let learned = self.batches(trainee, reader, roles);
        let flushed = self.engine.flush(trainee.learners(), self.observer);
        learned.and(flushed)?;
        self.bad_lines = self.engine.refused + reader.bad_lines();
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
        trainee: &mut dyn Trainee,
        reader: &mut dyn BatchReader,
        roles: &mut dyn Iterator<Item = ExampleRole>,
    ) -> Result<()> {
        loop {
            if reader.waits() {
                // The next examples may be long in coming: those that were learned are reported first.
                self.engine.flush(trainee.learners(), self.observer)?;
                self.observer.waiting();
            }
            let before = Instant::now();
            let mut batch = self.engine.spare_batch();
            let more = reader.next_batch(&mut batch, &mut || self.observer.stop())?;
            self.seconds.read += before.elapsed().as_secs_f64();
            if more {
                self.scales.iter_mut().for_each(|scales| scales.see(&batch));
                let batch = Arc::new(batch);
                // Every pass has workers of its own, from its first batch on.
                self.engine.use_jobs(reader.jobs());
                let learned = self.engine.learn(&batch, trainee, roles, self.observer);
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
        if let Some([own, ..]) = self.engine.heads() {
            self.observer.progress(reader.progress(), &own.tally);
        }
    }

    /// Tells the observer that a pass has ended.
    pub(crate) fn end_pass(&mut self, number: usize, model: &Model) -> Result<()> {
        let Some([own]) = self.engine.heads() else { return Ok(()) };
        self.observer.pass(&Pass { number, model, progressive: &own.tally })
    }
}
