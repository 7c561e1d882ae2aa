//! The loop that every entry point shares: read, predict, score, learn.

mod options;
mod progressive;
mod report;
mod start;

pub use options::{Observer, Pass, RoundView, Silent, TakeReject, TrainOptions};
pub use progressive::Progressive;
pub use report::{Report, Seconds};

use std::time::Instant;

use surefoot_data::{Batch, Example, Reader, Source};

use crate::{Error, Model, Result};
use start::Start;

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
    let mut run = Run::new(model, options, observer)?;
    for pass in 0..options.passes.max(1) {
        run.pass(pass, sources.clone())?;
        if run.stopped {
            break;
        }
    }
    run.finish()
}

/// A run under way.
struct Run<'a> {
    options: &'a TrainOptions,
    observer: &'a mut dyn Observer,
    /// The model, or what is still found out before there can be one.
    start: Start,
    progressive: Progressive,
    seconds: Seconds,
    began: Instant,
    bad_lines: u64,
    stopped: bool,
}

impl<'a> Run<'a> {
    fn new(model: Option<Model>, options: &'a TrainOptions, observer: &'a mut dyn Observer) -> Result<Self> {
        Ok(Self {
            start: Start::new(model, options)?,
            options,
            observer,
            progressive: Progressive::default(),
            seconds: Seconds::default(),
            began: Instant::now(),
            bad_lines: 0,
            stopped: false,
        })
    }

    fn pass(&mut self, number: usize, sources: Vec<Source>) -> Result<()> {
        let mut reader =
            Reader::open(sources, self.options.read_options(self.start.columns()), self.start.plan()?)?;
        if let Some(take) = self.observer.take_rejects() {
            reader.on_reject(take);
        }
        let mut batch = Batch::new();
        loop {
            let before = Instant::now();
            let more = reader.next_batch(&mut batch)?;
            self.seconds.read += before.elapsed().as_secs_f64();
            if !more {
                break;
            }
            self.learn_batch(&mut batch, number == 0)?;
            self.observer.progress(reader.progress(), &self.progressive);
            if self.observer.stop() {
                self.stopped = true;
                break;
            }
        }
        self.settle(number == 0, true)?;
        if number == 0 {
            self.bad_lines = reader.bad_lines();
        }
        let (progressive, model) = (&self.progressive, self.start.model()?);
        model.counts_mut().passes += 1;
        self.observer.pass(&Pass { number, model, progressive })
    }

    /// Learns from a batch, or keeps it while the task is undecided.
    fn learn_batch(&mut self, batch: &mut Batch, first: bool) -> Result<()> {
        let before = Instant::now();
        if self.start.is_settled() {
            self.learn_all(batch, first)?;
        } else {
            self.start.scout(std::mem::take(batch))?;
            self.settle(first, false)?;
        }
        self.seconds.learn += before.elapsed().as_secs_f64();
        Ok(())
    }

    /// Once the task is decided (or the data has ended), learns from what was kept meanwhile.
    fn settle(&mut self, first: bool, ended: bool) -> Result<()> {
        for batch in self.start.settle(self.options, ended)? {
            self.learn_all(&batch, first)?;
        }
        Ok(())
    }

    fn learn_all(&mut self, batch: &Batch, first: bool) -> Result<()> {
        for example in batch.iter() {
            if let Err(error) = self.learn_one(&example, first) {
                let problem = match error {
                    Error::Labels(_) | Error::Learner(_) | Error::Space(_) | Error::Other(_) => {
                        error.to_string()
                    }
                    other => return Err(other),
                };
                return Err(Error::Example { file: batch.file().to_string(), line: example.line, problem });
            }
        }
        Ok(())
    }

    fn learn_one(&mut self, example: &Example<'_>, first: bool) -> Result<()> {
        let label = example.label.ok_or_else(|| Error::Other("no label to learn from".into()))?;
        let weight = example.weight * self.options.class_weight(label);
        let model = self.start.model()?;
        let round = model.learn(&example.features, label, weight)?;
        let mistake = round.prediction.label != Some(round.class);
        let updated = round.updated;
        if first {
            self.progressive.update(&round, 1.0);
        }
        self.observer.round(&RoundView { round: &round, example, first_pass: first });
        let counts = model.counts_mut();
        counts.rounds += 1;
        counts.updates += u64::from(updated);
        if first {
            counts.examples += 1;
            counts.mistakes += u64::from(mistake);
        }
        self.progressive.count_update(updated);
        let every = self.options.checkpoint_every;
        if every > 0 && counts.rounds.is_multiple_of(every) {
            self.observer.checkpoint(model)?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(Model, Report)> {
        self.seconds.total = self.began.elapsed().as_secs_f64();
        let model = self.start.into_model()?;
        let report = Report::new(&model, &self.progressive, self.seconds, self.bad_lines)?;
        Ok((model, report))
    }
}
