//! Several learners side by side: the data is parsed and encoded once for all of them.

mod folds;

pub(crate) use folds::cross_validate;

use surefoot_core::LearnerSpec;
use surefoot_data::{Layout, Source};

use crate::learners::Learners;
use crate::model::encoder;
use crate::train::detect::{self, Peeked};
use crate::train::engine::{ExampleRole, Trainee};
use crate::train::pass::Run;
use crate::train::round::HeadTally;
use crate::train::{self, Progressive, Silent, TrainOptions};
use crate::{Model, Result, Settings};

/// How a learner did.
#[derive(Debug)]
pub(crate) struct ContestantRecord {
    /// Scores of predictions made before the label was seen.
    pub(crate) scores: Progressive,
    /// Which examples were predicted wrongly, in file order.
    pub(crate) wrong: Vec<bool>,
    /// Time spent in it alone.
    pub(crate) seconds: f64,
}

/// Learners that have seen the same examples, and how each did.
#[derive(Debug)]
pub(crate) struct SideBySide {
    pub(crate) learners: Learners,
    pub(crate) records: Vec<ContestantRecord>,
    /// Lines that were skipped.
    pub(crate) bad_lines: u64,
    settings: Settings,
}

impl Trainee for Learners {
    fn learners(&mut self) -> &mut Learners {
        self
    }
}

impl SideBySide {
    /// Whether the data is, or has, running text.
    pub(crate) fn has_text(&self) -> bool {
        self.settings.columns.layout.as_ref().is_some_and(Layout::has_text)
    }

    /// How many features there are.
    pub(crate) fn features(&self) -> usize {
        self.learners.encoder.index().len()
    }

    /// One of them as a model of its own.
    pub(crate) fn into_model(mut self, learner: usize) -> Model {
        self.learners.contestants.swap(0, learner);
        self.learners.contestants.truncate(1);
        // The others may have waited to see whether rows are dense.
        self.learners.first_rows =
            self.learners.first_rows.filter(|_| self.learners.contestants[0].spec.is_open());
        Model::from_parts(self.learners, self.settings.columns, self.settings.seed)
    }
}

/// Every example is predicted by all, then learned by all, in every pass.
pub(crate) fn progressive(
    sources: Vec<Source>,
    specs: &[LearnerSpec],
    options: &TrainOptions,
) -> Result<SideBySide> {
    let passes = options.passes.max(1);
    run(sources, specs, options, (0..passes).map(|_| std::iter::repeat(ExampleRole::Learn)))
}

/// Passes over the sources; each comes with the roles of its examples.
fn run<R: Iterator<Item = ExampleRole>>(
    sources: Vec<Source>,
    specs: &[LearnerSpec],
    options: &TrainOptions,
    passes: impl Iterator<Item = R>,
) -> Result<SideBySide> {
    let columns = options.columns_to_find();
    let labels = detect::labels(&sources, &columns, options)?;
    let mut reader = train::open(sources, detect::plan(options)?, columns, options, &mut Silent)?;
    let findings = reader.findings().clone();
    let mut reader = Peeked::new(&mut reader);
    let mut settings = reader.detect(labels, options, &findings, &mut Silent)?;
    settings.columns.layout = findings.layout();
    let mut learners = Learners::new(encoder(&settings, specs)?, specs)?;
    let mut silent = Silent;
    let mut run = Run::new(&learners, true, options, &mut silent);
    for (number, mut roles) in passes.enumerate() {
        run.pass(number, &mut learners, &mut reader, &mut roles)?;
    }
    let bad_lines = run.bad_lines;
    let (heads, seconds) = run.engine.end()?;
    let record = |(own, seconds): (HeadTally, f64)| ContestantRecord {
        scores: own.tally,
        wrong: own.wrong.unwrap_or_default(),
        seconds,
    };
    let seconds = seconds.into_iter().chain(std::iter::repeat(0.0));
    let records = heads.into_iter().zip(seconds).map(record).collect();
    Ok(SideBySide { learners, records, bad_lines, settings })
}
