//! Training: one loop that every entry point shares.
//!
//! [`train`] and [`resume`] read files; [`learn_pass`] takes any [`BatchReader`]. A pass is `pass.rs`, a batch is
//! `engine.rs`, the two halves of a round are `round.rs`, and what runs beside the learning thread is `stage.rs`.

pub(crate) mod changes;
pub(crate) mod detect;
pub(crate) mod engine;
mod observer;
mod options;
pub(crate) mod pass;
mod progressive;
mod quantity;
mod report;
pub(crate) mod round;
mod scales;
mod shards;
pub(crate) mod stage;
mod warnings;

pub use changes::{ChangedPlace, DataChange, OnDrift, by_place, default_detectors};
pub use observer::{Observer, Pass, RoundView, Silent, TakeReject};
pub use options::TrainOptions;
pub use progressive::{Curve, CurvePoint, Progressive, Weighted};
pub use report::{Report, Seconds};
pub use shards::{ShardRound, Shards, train_shards};

use std::sync::Arc;

use surefoot_data::{BatchReader, FormatOptions, PassReader, Plan, Source};

use crate::{Familiarity, Model, Result};
use detect::Peeked;
use engine::ExampleRole;
use pass::Run;
use scales::FeatureScales;

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
    let columns = options.columns_to_find();
    let labels = detect::labels(&sources, &columns, options)?;
    let mut reader = open(sources, detect::plan(options)?, columns, options, observer)?;
    let findings = reader.findings().clone();
    let mut reader = Peeked::new(&mut reader);
    let mut settings = reader.detect(labels, options, &findings, observer)?;
    settings.columns.layout = findings.layout();
    let scales = FeatureScales::of(&options.recipe);
    let (model, mut report) = run(Model::new(settings)?, &mut reader, options, None, scales, observer)?;
    report.notes.splice(0..0, findings.notes());
    Ok((model, report))
}

/// Goes on with a model, on new data or the same.
pub fn resume(
    mut model: Model,
    sources: Vec<Source>,
    options: &TrainOptions,
    observer: &mut dyn Observer,
) -> Result<(Model, Report)> {
    model.watch_with(&options.detectors, options.on_drift)?;
    options.check_weights(model.task())?;
    // What a model remembers of columns holds where there are some.
    let incomplete = options.incomplete;
    let columns = FormatOptions { columnless: true, incomplete, ..model.columns().clone() };
    let mut reader = open(sources, model.plan(), columns, options, observer)?;
    let findings = reader.findings().clone();
    let mut reader = Peeked::new(&mut reader);
    let again = reader.begins_like(&model.learners.beginning, options, &mut || observer.stop())?;
    // A journal is what was learned, each time: it repeats nothing, whatever it begins with.
    let again = again && !findings.are_numbered();
    let repeated = if again && options.skip == 0 { model.counts().examples } else { 0 };
    let earlier = EarlierRun { known_features: model.encoder().index().bound(), repeated };
    let (model, mut report) = run(model, &mut reader, options, Some(earlier), None, observer)?;
    report.notes = findings.notes();
    Ok((model, report))
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

/// What a model that goes on has learned before.
struct EarlierRun {
    /// The bound of the features that it knows.
    known_features: usize,
    /// How many of the examples to come it has learned already.
    repeated: u64,
}

/// Learns as many passes as asked for; `scales` looks at the features of the first rows.
fn run(
    mut model: Model,
    reader: &mut dyn BatchReader,
    options: &TrainOptions,
    earlier: Option<EarlierRun>,
    scales: Option<FeatureScales>,
    observer: &mut dyn Observer,
) -> Result<(Model, Report)> {
    model.learners.contestants[0].watch.begin_run();
    observer.begin(&model);
    let mut run = Run::new(&model.learners, false, options, observer);
    let repeated = earlier.as_ref().map_or(0, |earlier| earlier.repeated);
    run.engine.expect_repeated(repeated);
    run.scales = scales;
    run.engine.familiarity = earlier.map(|earlier| (earlier.known_features, Familiarity::default()));
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
    let scales = run.scales.take();
    let familiarity = run.engine.familiarity.map(|(_, familiarity)| familiarity);
    let (heads, _) = run.engine.end()?;
    let mut warnings = warnings::warnings(&model, options, weighted);
    warnings.extend(warnings::learned_before(repeated.min(heads[0].tally.examples())));
    warnings.extend(familiarity.and_then(|familiarity| familiarity.warning_of_resumed(&model)));
    let mut report = Report::new(&model, &heads[0].tally, passes, seconds, bad_lines, warnings)?;
    report.familiarity = familiarity;
    report.notes.extend(scales.and_then(|scales| scales.note(model.columns().layout.as_ref())));
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
