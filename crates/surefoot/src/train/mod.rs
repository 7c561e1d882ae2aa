//! Training: one loop that every entry point shares.
//!
//! [`train`] and [`resume`] read files; [`learn_pass`] takes any [`BatchReader`]. A pass is `pass.rs`, a batch is
//! `engine.rs`, the two halves of a round are `round.rs`, and what runs beside the learning thread is `stage.rs`.

pub(crate) mod detect;
pub(crate) mod engine;
mod observer;
mod options;
pub(crate) mod pass;
mod progressive;
mod report;
pub(crate) mod round;
pub(crate) mod stage;
mod warnings;

pub use observer::{Observer, Pass, RoundView, Silent, TakeReject};
pub use options::TrainOptions;
pub use progressive::{Curve, CurvePoint, Progressive};
pub use report::{Report, Seconds};

use std::sync::Arc;

use surefoot_data::{BatchReader, FormatOptions, PassReader, Plan, Source};

use crate::{Model, Result};
use detect::Peeked;
use engine::ExampleRole;
use pass::Run;

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
    let labels = detect::labels(&sources, &options.columns, options)?;
    let mut reader = open(sources, detect::plan(options)?, options.columns.clone(), options, observer)?;
    let mut reader = Peeked::new(&mut reader);
    let settings = reader.detect(labels, options, &mut || observer.stop())?;
    run(Model::new(settings)?, &mut reader, options, observer)
}

/// Goes on with a model, on new data or the same.
pub fn resume(
    model: Model,
    sources: Vec<Source>,
    options: &TrainOptions,
    observer: &mut dyn Observer,
) -> Result<(Model, Report)> {
    // What a model remembers of columns holds where there are some.
    let columns = FormatOptions { columnless: true, ..model.columns().clone() };
    let mut reader = open(sources, model.plan(), columns, options, observer)?;
    run(model, &mut reader, options, observer)
}

/// Opens sources for as many passes as the options say.
pub(crate) fn open(
    sources: Vec<Source>,
    plan: Arc<Plan>,
    columns: FormatOptions,
    options: &TrainOptions,
    observer: &mut dyn Observer,
) -> Result<PassReader> {
    let (reading, passes) = (options.read_options(&columns), options.pass_options());
    Ok(PassReader::open(sources, reading, plan, passes, observer.take_rejects())?)
}

fn run(
    mut model: Model,
    reader: &mut dyn BatchReader,
    options: &TrainOptions,
    observer: &mut dyn Observer,
) -> Result<(Model, Report)> {
    let mut run = Run::new(&model.learners, false, options, observer);
    let (mut bad_lines, mut passes) = (0, 0);
    for number in 0..options.passes.max(1) {
        run.pass(number, &mut model, reader, &mut std::iter::repeat(ExampleRole::Learn))?;
        bad_lines = if number == 0 { run.bad_lines } else { bad_lines };
        passes = number as u64 + 1;
        run.end_pass(number, &model)?;
        if run.stopped {
            break;
        }
    }
    let (weighted, seconds) = (run.engine.weighted, run.seconds);
    let (heads, _) = run.engine.end()?;
    let warnings = warnings::warnings(&model, options, weighted);
    let report = Report::new(&model, &heads[0].tally, passes, seconds, bad_lines, warnings)?;
    Ok((model, report))
}

/// One pass of a model over what a reader gives; `number` counts from 0, and only in pass 0 examples are met for the first
/// time. After an error the model has learned the examples before it.
///
/// This is the loop of [`train`] for rows that are in memory or come from a server: implement [`BatchReader`] for them.
pub fn learn_pass(
    model: &mut Model,
    reader: &mut dyn BatchReader,
    number: usize,
    options: &TrainOptions,
    observer: &mut dyn Observer,
) -> Result<()> {
    let mut run = Run::new(&model.learners, false, options, observer);
    run.pass(number, model, reader, &mut std::iter::repeat(ExampleRole::Learn))
}
